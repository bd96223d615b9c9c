#!/bin/sh
# Downloads the files with one tool, and reads them with DuckDB: `sh download.sh curl_retry`. A run that
# is started again continues a file that was cut off, and fetches all of them anew where DuckDB failed.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cd "$FEEDMILL_FOLDER"

# Of curl's manual page: --retry, --retry-delay, --retry-all-errors, --continue-at, --remote-time.
curl_retry() {
  curl --fail --silent --show-error --retry 5 --retry-delay 1 --retry-all-errors \
    --continue-at - --remote-time "$@"
}

# Of "Everything curl", the page "Resuming and ranges": --continue-at continues what was cut off.
curl_resume() {
  for _ in 1 2 3 4 5; do
    if curl --fail --silent --show-error --retry 5 --retry-delay 1 --continue-at - --remote-time "$@"; then
      return
    fi
  done
  return 1
}

# Of aria2c's manual page: --continue, --max-tries, --retry-wait (503 is repeated only with it).
aria2() {
  aria2c --quiet --continue=true --max-tries=5 --retry-wait=1 --remote-time=true "$@"
}

# Of the manual of GNU Wget, "Download Options": --continue, --tries, --waitretry, --retry-on-http-error.
wget_continue() {
  wget --no-verbose --continue --tries=5 --waitretry=1 --retry-on-http-error=429,500,503 "$@"
}

# A token for each file costs little, and none expires in a run.
token() {
  curl --fail --silent --show-error --retry 5 --user "$FEEDMILL_CLIENT_ID:$FEEDMILL_CLIENT_SECRET" \
    --data grant_type=client_credentials --data-urlencode "scope=$FEEDMILL_SCOPE_BASE/buy.item.feed" \
    "$FEEDMILL_TOKEN_URL" | sed 's/.*"access_token":"\([^"]*\)".*/\1/'
}

# Downloads the address $2 into the file $1, which gets the time of Last-Modified.
fetch() {
  if [ -e "$1" ]; then return; fi
  case $tool in
    curl_*) output=--output ;;
    aria2) output=--out ;;
    *) output=--output-document ;;
  esac
  "$tool" --header "Authorization: Bearer $(token)" --header "X-MKT-C-MARKETPLACE-ID: $FEEDMILL_MARKETPLACE" \
    --header 'Accept: text/tab-separated-values' "$output" "$1.part" "$2"
  mv "$1.part" "$1"
}

tool=$1
fetch 0.tsv.gz "$FEEDMILL_BASE_URL/buy/feed/v1_beta/item?feed_scope=ALL_ACTIVE&category_id=$FEEDMILL_CATEGORIES"
node "$here/snapshots.mjs" 0.tsv.gz > snapshots
while read -r name url; do fetch "$name" "$url"; done < snapshots
node "$here/duckdb.mjs" || { rm -f ./*.tsv.gz && exit 1; }
