# cleanroot.sh -- ./dev cleanroot [FOLDER]: the last commit, demo and test, in a Debian that has nothing but git.
#
# debootstrap lays a minimal bookworm into a new folder below FOLDER (default: TMPDIR or /tmp), with this machine's own
# package sources; the commit is cloned into it; then ./dev demo and ./dev test run there. Mounts are made in a mount
# namespace of their own, so they are gone on every way out, and so is the folder, unless KEEP=1.
#
# SPDX-License-Identifier: MIT
cmd_cleanroot() {
  local suite=bookworm base=${1:-${TMPDIR:-/tmp}} root mirror proxy code=0 start
  [ "$(id -u)" = 0 ] || die "cleanroot needs root: sudo ./dev cleanroot"
  git rev-parse -q --verify HEAD > /dev/null || die "cleanroot: nothing is committed yet"
  [ -z "$(git status --porcelain)" ] || say "note: there are uncommitted changes; the clean root gets the last commit"
  mirror=$({ cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2> /dev/null || true; } | awk -v suite=$suite '
    /^URIs:/ { uri = $2 }
    /^Suites:/ { for (i = 2; i <= NF; i++) if ($i == suite && uri) { print uri; exit } }
    /^deb / { for (i = 2; i < NF; i++) if ($(i + 1) == suite) { print $i; exit } }')
  [ -n "$mirror" ] || die "cleanroot: /etc/apt names no source for $suite"
  eval "$(apt-config shell proxy Acquire::http::Proxy)"
  root=$(mktemp -d "$base/impel-cleanroot.XXXXXX")
  # shellcheck disable=SC2064
  [ -n "${KEEP:-}" ] || trap "rm -rf --one-file-system '$root'" EXIT
  mkdir -p build/log

  start=$SECONDS
  say "debootstrap $suite into $root"
  http_proxy=${proxy:-${http_proxy:-}} debootstrap --variant=minbase "$suite" "$root" "$mirror" > build/log/debootstrap.log 2>&1 ||
    { tail -n 20 build/log/debootstrap.log; die "debootstrap failed (all of it: build/log/debootstrap.log)"; }
  rm -rf "$root/etc/apt"; cp -a /etc/apt "$root/etc/apt"
  cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
  mkdir -p "$root/usr/share/keyrings"; cp -an /usr/share/keyrings/. "$root/usr/share/keyrings/"
  # whoever stands between this machine and the package sources has certificates of his own
  [ -z "${NODE_EXTRA_CA_CERTS:-}" ] || { mkdir -p "$root/etc/ssl"; cp -L "$NODE_EXTRA_CA_CERTS" "$root/etc/ssl/this-machine.crt"; }
  git clone -q --no-local . "$root/root/impel"
  say "  $((SECONDS - start)) s"

  cleanroot_in "$root" "apt-get update -q && apt-get install -qy --no-install-recommends git" > build/log/cleanroot-git.log 2>&1 ||
    { tail -n 20 build/log/cleanroot-git.log; die "apt-get does not work in the clean root"; }
  for command in demo test; do
    start=$SECONDS
    say; say "--- ./dev $command in the clean root"
    cleanroot_in "$root" "cd /root/impel && ./dev $command" || { code=1; say "failed: ./dev $command"; }
    say "--- $((SECONDS - start)) s"
  done
  mkdir -p build/log/cleanroot; cp -r "$root"/root/impel/build/log/. build/log/cleanroot/ 2> /dev/null || true
  [ -z "${KEEP:-}" ] || say "kept: $root"
  return $code
}

# cleanroot_in ROOT COMMAND: with /proc, /dev and /sys, which vanish with it; nothing of our environment but the proxy
# and the certificates.
cleanroot_in() {
  # shellcheck disable=SC2016
  unshare --mount --propagation private bash -euc '
    mount -t proc proc "$1/proc"
    mount --rbind /dev "$1/dev"
    mount -t tmpfs -o mode=1777 tmpfs "$1/tmp"
    exec env -i CI=true HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
      ${NODE_EXTRA_CA_CERTS:+NODE_EXTRA_CA_CERTS=/etc/ssl/this-machine.crt} \
      ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} \
      chroot "$1" bash -c "$2"' cleanroot "$1" "$2" < /dev/null
}
