#!/usr/bin/env bash
# Starts a store of buckets for the tests: the S3 gateway of Ceph, over one monitor and one store of
# objects in memory. It needs the packages ceph-mon, ceph-osd, radosgw and ceph-common of Debian, and
# is ready after some 15 s. Its processes stay until they are killed: see FOLDER/run/*.pid.
#
#   bucket-server.sh FOLDER PORT   the gateway is at PORT, and the monitor at the next port
set -euo pipefail
folder=$(realpath -m "$1") port=$2
id=$(cat /proc/sys/kernel/random/uuid) disk=$(cat /proc/sys/kernel/random/uuid)
rm -rf "$folder"
mkdir -p "$folder"/run "$folder"/monitor "$folder"/store "$folder"/gateway
export CEPH_CONF=$folder/ceph.conf

# One copy of everything, and no placement groups that nobody needs. Parts may be small, and what is
# removed is gone at once, because memory is all that there is.
cat > "$CEPH_CONF" <<END
[global]
fsid = $id
mon_host = v2:127.0.0.1:$((port + 1))/0
public_addr = 127.0.0.1
ms_bind_ipv6 = false
mon_data = $folder/monitor
osd_data = $folder/store
rgw_data = $folder/gateway
keyring = $folder/keyring
run_dir = $folder/run
pid_file = $folder/run/\$name.pid
log_file = $folder/run/\$name.log
admin_socket = $folder/run/\$name.\$pid.socket
osd_objectstore = memstore
memstore_device_bytes = 2147483648
mon_data_avail_crit = 1
mon_allow_pool_size_one = true
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 4
osd_pool_default_pgp_num = 4
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
rgw_frontends = beast endpoint=127.0.0.1:$port
rgw_thread_pool_size = 32
rgw_multipart_min_part_size = 1
rgw_gc_obj_min_wait = 1
rgw_gc_processor_period = 1
rgw_gc_processor_max_time = 1
END

may=(--cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *')
{
  ceph-authtool --create-keyring "$folder/keyring" --gen-key -n mon. --cap mon 'allow *'
  ceph-authtool "$folder/keyring" --gen-key -n client.admin "${may[@]}"
  ceph-authtool "$folder/keyring" --gen-key -n osd.0 "${may[@]}"
  monmaptool --create --fsid "$id" --addv a "[v2:127.0.0.1:$((port + 1))]" "$folder/monmap"
  ceph-mon -i a --mkfs --monmap "$folder/monmap"
  ceph-mon -i a
  timeout 60 ceph osd new "$disk"
  ceph-osd -i 0 --mkfs --osd-uuid "$disk"
  ceph-osd -i 0
  radosgw -n client.admin
  until curl -so /dev/null "http://127.0.0.1:$port/"; do
    [ $SECONDS -lt 120 ]
    sleep 0.2
  done
  timeout 60 radosgw-admin user create --uid=feed --display-name=feed --access-key=feedkey --secret=feedsecret
} > "$folder/start.log" 2>&1 || { tail -n 20 "$folder/start.log" >&2; exit 1; }
echo "http://feedkey:feedsecret@127.0.0.1:$port after $SECONDS s"
