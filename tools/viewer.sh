# viewer.sh -- ./dev viewer: the template of pages, from viewer/, and what its tests need.
#
# npm installs what viewer/package-lock.json pins into viewer/node_modules, once. The template is written to build/viewer only
# where it changes, so that nothing is compiled again for nothing.
#
# SPDX-License-Identifier: MIT
viewer_packages() {
  local stamp
  stamp="$(sha256sum < viewer/package-lock.json) $(node --version)"
  [ "$(cat viewer/node_modules/.stamp 2> /dev/null)" = "$stamp" ] && return 0
  say "installing what viewer/package-lock.json names ..."
  (cd viewer && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) && echo "$stamp" > viewer/node_modules/.stamp
}
viewer_template() {
  viewer_packages && node viewer/build.mjs
}
cmd_viewer() {
  local fresh=1
  [ ! -f build/viewer/page_template.c ] || fresh=0
  quietly viewer viewer_template
  [ $fresh = 0 ] || rm -f build/*/build.ninja build/*/CMakeCache.txt   # they were told that there is none
  say "build/viewer/page.html is the template of pages: $(($(wc -c < build/viewer/page.html) / 1024)) kB"
}
