# impel-mpi (cli/mpi/): the sources of the command with another main, without pages. Needs MPI (Debian: openmpi-bin, libopenmpi-dev).
find_package(MPI REQUIRED COMPONENTS C)
set(mpi_sources ${cli_sources})
list(FILTER mpi_sources EXCLUDE REGEX "/cli/main\\.c$")
add_executable(impel_mpi ${mpi_sources} ${PROJECT_SOURCE_DIR}/cli/mpi/main.c)
set_target_properties(impel_mpi PROPERTIES OUTPUT_NAME impel-mpi)
target_include_directories(impel_mpi PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(impel_mpi PRIVATE impel_static impel_flags Threads::Threads MPI::MPI_C m)
