# Runs inside the container, as root, under its systemd. Each line that it prints begins with "ok" or "FAILED".
set -u
export LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
trap 'journalctl --no-pager -o short-precise -u gatewayd.service -u gatewayd.socket >/probe/journal 2>&1' EXIT

# check WHAT COMMAND...: the command must succeed.
check() {
  local what=$1
  shift
  if "$@" >/probe/output 2>&1; then echo "ok      $what"; else
    echo "FAILED  $what"
    sed 's/^/        /' /probe/output
  fi
}
# equal WHAT FOUND EXPECTED
equal() {
  if [ "$2" = "$3" ]; then echo "ok      $1"; else echo "FAILED  $1: found '$2', expected '$3'"; fi
}
property() { systemctl show --property="$1" --value gatewayd.service; }
state() { systemctl is-active gatewayd.service; }
said() { journalctl --no-pager -o cat -u gatewayd.service --since "@$1" | grep -q -F "$2"; }
# All that it needs is said, so that it asks nothing on the admin socket, which is away while the service restarts.
push() { gatewayctl push "$token" --bundle-id com.example.caffeine --environment development; }
# until SECONDS COMMAND...
until_true() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $SECONDS -lt $end ] || return 1
    sleep 0.2
  done
}

echo "-- installed"
check "the package installs" dpkg --install /probe/gatewayd.deb
equal "the service is enabled" "$(systemctl is-enabled gatewayd.service)" enabled
equal "and not started with the sample that serves nobody" "$(state)" inactive
equal "the socket unit is there and not enabled" "$(systemctl is-enabled gatewayd.socket)" disabled
equal "the configuration is the group's to read" "$(stat -c '%a %U %G' /etc/gatewayd/gatewayd.toml)" "640 root gatewayd"
equal "and so is its folder" "$(stat -c '%a %U %G' /etc/gatewayd)" "750 root gatewayd"
equal "the database's folder is the account's" "$(stat -c '%a %U %G' /var/lib/gatewayd)" "750 gatewayd gatewayd"
check "the manual pages are there" ls /usr/share/man/man8/gatewayd.8.gz /usr/share/man/man1/gatewayctl.1.gz \
  /usr/share/man/man5/gatewayd.toml.5.gz

echo "-- started"
gatewayd init --directory /probe/made --bundle-id com.example.caffeine >/dev/null
install -m 0640 -o root -g gatewayd /probe/made/{server.pem,server.key,ca.pem,enrolment.key} /probe/made/AuthKey_*.p8 \
  /etc/gatewayd/
# The paths of the service in place of those of a folder; the content of the file stays the package's conffile.
sed -e 's|"admin.sock"|"/run/gatewayd/admin.sock"|' -e 's|"gateway.sqlite"|"/var/lib/gatewayd/gateway.sqlite"|' \
  /probe/made/gatewayd.toml | tee /etc/gatewayd/gatewayd.toml >/probe/edited
check "the configuration is good" setpriv --reuid=gatewayd --regid=gatewayd --clear-groups gatewayd check
check "the service starts" systemctl start gatewayd.service
equal "and is active" "$(state)" active
check "its status says something" sh -c "systemctl show --property=StatusText gatewayd.service | grep -q 'devices'"
equal "the admin socket is the group's" "$(stat -c '%a %U %G' /run/gatewayd/admin.sock)" "660 gatewayd gatewayd"
equal "it may not leave a core" "$(awk '/Max core file size/ {print $5, $6}' "/proc/$(property MainPID)/limits")" "0 0"

echo "-- pushed"
gatewayctl simulate --devices 1 --duration 250s --keep >/probe/device 2>&1 &
device=$!
registered() { gatewayctl registrations --json | grep -q '"token"'; }
check "a device registers" until_true 20 registered
token=$(gatewayctl registrations --json | grep -o '"token" *: *"[0-9a-f]*"' | head -n 1 | grep -o '[0-9a-f]\{16,\}')
check "a push goes through" push
check "and reaches the device" until_true 10 grep -q -i "widget" /probe/device

echo "-- reloaded"
since=$(date +%s)
echo "no certificate" >/etc/gatewayd/server.pem
systemctl reload gatewayd.service
check "a broken certificate is named" until_true 10 said "$since" "not reloaded, everything stays as it was"
equal "and the service stays" "$(state)" active
check "and takes pushes" push
install -m 0640 -o root -g gatewayd /probe/made/server.pem /etc/gatewayd/server.pem
since=$(date +%s)
systemctl reload gatewayd.service
check "a whole one is taken" until_true 10 said "$since" "reloaded: "

echo "-- backed up and restored"
check "a backup of the running gateway is made" gatewayctl backup /probe/backup.sqlite
check "and is whole" gatewayd check --database /probe/backup.sqlite
check "and so is the database, as its account sees it" setpriv --reuid=gatewayd --regid=gatewayd --clear-groups \
  gatewayd check --database
equal "the check leaves nothing of root's behind" "$(find /var/lib/gatewayd -not -user gatewayd)" ""
check "a restore is refused while it runs" sh -c '! gatewayd restore /probe/backup.sqlite'
systemctl stop gatewayd.service
check "and done while it is stopped" gatewayd restore /probe/backup.sqlite
equal "the database is the account's" "$(stat -c '%a %U %G' /var/lib/gatewayd/gateway.sqlite)" "600 gatewayd gatewayd"
check "the service starts on it" systemctl start gatewayd.service
check "and takes pushes" push
echo "        systemd-analyze security: $(systemd-analyze security gatewayd.service 2>/dev/null | tail -n 1)"
echo "        status: $(systemctl show --property=StatusText --value gatewayd.service)"

echo "-- watched"
mkdir -p /etc/systemd/system/gatewayd.service.d
printf '[Service]\nWatchdogSec=2s\n' >/etc/systemd/system/gatewayd.service.d/watchdog.conf
systemctl daemon-reload
systemctl restart gatewayd.service
sleep 5
equal "a gateway that turns is left alone" "$(property NRestarts)" 0
old=$(property MainPID)
kill -STOP "$old"
restarted() { [ "$(property NRestarts)" -ge 1 ] && [ "$(state)" = active ]; }
check "one that has stopped is killed and started again" until_true 30 restarted
check "and takes pushes" until_true 10 push
rm -r /etc/systemd/system/gatewayd.service.d
systemctl daemon-reload

echo "-- restarted, with systemd's sockets"
mkdir -p /etc/systemd/system/gatewayd.socket.d
printf '[Socket]\nListenStream=\nListenStream=127.0.0.1:2197\nListenStream=127.0.0.1:2198\nListenStream=127.0.0.1:5223\n' \
  >/etc/systemd/system/gatewayd.socket.d/addresses.conf
systemctl daemon-reload
systemctl stop gatewayd.service
check "the sockets open" systemctl enable --now gatewayd.socket
check "a connection alone starts the service" until_true 10 push
equal "it is active" "$(state)" active
since=$(date +%s)
(
  tried=0 refused=0
  while [ ! -e /probe/enough ]; do
    tried=$((tried + 1))
    (exec 3<>/dev/tcp/127.0.0.1/2197) 2>/dev/null || refused=$((refused + 1))
  done
  echo "$tried $refused" >/probe/connections
) &
connections=$!
(
  tried=0 failed=0
  while [ ! -e /probe/enough ]; do
    tried=$((tried + 1))
    push >/probe/push.output 2>&1 || { failed=$((failed + 1)); cat /probe/push.output >>/probe/push.failures; }
  done
  echo "$tried $failed" >/probe/pushes
) &
pushes=$!
sleep 1
for _ in 1 2 3; do
  old=$(property MainPID)
  systemctl restart gatewayd.service
  [ "$(property MainPID)" != "$old" ] || echo "FAILED  a restart was none"
  sleep 1
done
touch /probe/enough
wait "$connections" "$pushes"
read -r tried refused </probe/connections
equal "of $tried connections over three restarts, refused" "$refused" 0
read -r tried failed </probe/pushes
equal "of $tried pushes over three restarts, failed" "$failed" 0
[ ! -s /probe/push.failures ] || sort /probe/push.failures | uniq -c | sed 's/^/        /'
if said "$since" "no listener of the configuration claims"; then echo "FAILED  a socket was left over"; fi

echo "-- upgraded"
old=$(property MainPID)
check "a newer package installs" dpkg --force-confdef --force-confold --install /probe/newer.deb
check "and keeps the edited configuration" cmp /probe/edited /etc/gatewayd/gatewayd.toml
equal "and its owner and mode" "$(stat -c '%a %U %G' /etc/gatewayd/gatewayd.toml)" "640 root gatewayd"
equal "the service is active" "$(state)" active
equal "the socket too" "$(systemctl is-active gatewayd.socket)" active
check "the service was restarted" test "$(property MainPID)" -ne "$old" -a "$(property MainPID)" -ne 0
check "it takes pushes" push
kill "$device" 2>/dev/null
systemctl stop gatewayd.socket gatewayd.service
check "the older package goes back in" dpkg --force-confdef --force-confold --install /probe/gatewayd.deb
equal "and a service that was stopped stays so" "$(state)" inactive

echo "-- removed"
check "it is removed" dpkg --remove gatewayd
check "the configuration stays" cmp /probe/edited /etc/gatewayd/gatewayd.toml
check "the database stays" test -s /var/lib/gatewayd/gateway.sqlite
check "it is purged" dpkg --purge gatewayd
check "the configuration is gone" test ! -e /etc/gatewayd/gatewayd.toml
check "the database is gone" test ! -e /var/lib/gatewayd
check "the operator's keys stay" test -s /etc/gatewayd/server.key
check "no unit is left enabled" sh -c '! find /etc/systemd/system -name "gatewayd.s*" -not -name "*.d" | grep .'
echo "all done"
