# Pages (impel run -o run.html, impel poses -o poses.html): the templates that `./dev viewer` makes from viewer/ are built into
# the command. Neither Node nor zlib is needed to build: without the templates pages are off and the command says so, without
# zlib they are larger.
set(IMPEL_TEMPLATE ${PROJECT_SOURCE_DIR}/build/viewer/page_template.c CACHE FILEPATH "The template of pages of runs, as C")
set(IMPEL_POSES_TEMPLATE ${PROJECT_SOURCE_DIR}/build/viewer/poses_template.c CACHE FILEPATH "The template of pages of drop tests, as C")
if(EXISTS ${IMPEL_TEMPLATE} AND EXISTS ${IMPEL_POSES_TEMPLATE})
  target_sources(impel_cli PRIVATE ${IMPEL_TEMPLATE} ${IMPEL_POSES_TEMPLATE})
  set_source_files_properties(${IMPEL_TEMPLATE} ${IMPEL_POSES_TEMPLATE} PROPERTIES COMPILE_OPTIONS -O0)   # bytes only
  target_compile_definitions(impel_cli PRIVATE IMPEL_PAGE)
else()
  message(STATUS "Pages are off: ./dev viewer makes their templates (it needs Node and npm) and builds build/release again")
endif()
if(IMPEL_ZLIB)
  find_package(ZLIB)
  if(ZLIB_FOUND)
    target_compile_definitions(impel_cli PRIVATE IMPEL_ZLIB)
    target_link_libraries(impel_cli PRIVATE ZLIB::ZLIB)
  endif()
endif()
