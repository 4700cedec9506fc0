# viewer.sh -- ./dev viewer: the templates of pages, from viewer/, and what their tests need.
#
# npm installs what viewer/package-lock.json pins into viewer/node_modules, once. The templates are written to build/viewer only
# where they change, so that nothing is compiled again for nothing. They are part of the command, which is built again.
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
# Builds that were configured without templates are told of them; their options stay as they are.
viewer_configure() {
  local cache
  for cache in build/*/CMakeCache.txt; do
    [ ! -f "$cache" ] || cmake "$(dirname "$cache")" || return 1
  done
}
viewer_make() {
  local fresh=1 name
  [ ! -f build/viewer/page_template.c ] || [ ! -f build/viewer/poses_template.c ] || fresh=0
  quietly viewer viewer_template
  [ $fresh = 0 ] || quietly viewer_configure viewer_configure
  for name in page poses; do say "build/viewer/$name.html: template of $(($(wc -c < build/viewer/$name.html) / 1024)) kB"; done
}
# The command that was built before makes pages from here on.
cmd_viewer() {
  viewer_make
  [ -x build/release/impel ] || { say "'./dev build' makes the command that fills them in"; return 0; }
  quietly build compile release impel_cli
  say "build/release/impel makes pages: try build/release/impel run SCENE -o run.html"
}

# viewer_pages PROGRAM: pages of real runs for viewer/test, in build/viewer/real; only where something changed.
viewer_pages() {
  local program=$1 pages=build/viewer/real stamp name scene
  program=$(realpath "$program")
  stamp="$(cat "$program" viewer/test/scenes/*.json scenes/*.json scenes/table1/*.json build/viewer/{page,poses}.html | sha256sum)"
  [ "$(cat $pages/.stamp 2> /dev/null)" = "$stamp" ] && return 0
  rm -rf $pages; mkdir -p $pages
  printf '%s\n' viewer/test/scenes/{thousand,crowd,hostile,press} scenes/{bouncing_ball,shape_zoo,sliding_block,tumbling_brick} \
      scenes/table1/{bowling,coins,dominos,ball_on_platter,part_feeding} |
    PROGRAM=$program PAGES=$pages xargs -P "$jobs" -I{} bash -c '
      name=$(basename {}); scene=$PWD/{}.json; cd "$PAGES"
      "$PROGRAM" run "$scene" -q -f -o "$name.html" 2> "$name.log" ||
        grep -q "stopped at step" "$name.log" || { cat "$name.log"; exit 255; }' || return 1   # press.json is meant to be
  for name in bouncing_ball tumbling_brick; do "$program" run scenes/$name.json -q -f -o $pages/$name.csv; done
  "$program" compare scenes/bouncing_ball.json --methods impulse,flight -q -f -o $pages/compare.html 2> $pages/compare.log || return 1
  "$program" compare scenes/slope.json --methods impulse --dt 0.02,0.01,0.005,0.05 -t 2 -q -f -o $pages/compare4.html || return 1
  "$program" compare viewer/test/scenes/press.json --methods impulse,flight -q -f -o $pages/compare_press.html 2> $pages/compare_press.log ||
    grep -q 'stopped at step' $pages/compare_press.log || return 1
  "$program" poses scenes/parts/bracket.stl --scale 0.001 -n 20000 -q -f -o $pages/poses_bracket.html || return 1
  echo "$stamp" > $pages/.stamp
}

# cmd_gallery [SCENE...]: gallery/index.html with a picture and a page of each scene of viewer/gallery.json.
cmd_gallery() {
  viewer_make
  quietly build compile release
  node viewer/gallery.mjs build/release/impel gallery "$@"
}
