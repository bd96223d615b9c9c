"""Python downloads, inflates and parses: `python3 ingest.py urllib csv`, `… requests polars`."""

import base64
import csv
import gzip
import json
import os
import sys
import time
from datetime import datetime, timedelta
from email.utils import parsedate_to_datetime
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import Request, urlopen

ENV = os.environ
HOUR = timedelta(hours=1)
TRIES = 5


def token():
    scope = ENV["FEEDMILL_SCOPE_BASE"] + "/buy.item.feed"
    form = urlencode({"grant_type": "client_credentials", "scope": scope}).encode()
    pair = ENV["FEEDMILL_CLIENT_ID"] + ":" + ENV["FEEDMILL_CLIENT_SECRET"]
    basic = "Basic " + base64.b64encode(pair.encode()).decode()
    with urlopen(Request(ENV["FEEDMILL_TOKEN_URL"], form, {"Authorization": basic}), timeout=30) as response:
        return json.load(response)["access_token"]


def headers():
    return {
        "Authorization": "Bearer " + token(),
        "X-MKT-C-MARKETPLACE-ID": ENV["FEEDMILL_MARKETPLACE"],
        "Accept": "text/tab-separated-values",
    }


def urllib_get(url):
    """Of the documents of Python, "HOWTO Fetch Internet Resources Using The urllib Package", Handling
    Exceptions, and http.client: every error of a request is an OSError or an HTTPException."""
    for attempt in range(TRIES):
        try:
            with urlopen(Request(url, headers=headers()), timeout=30) as response:
                return response.read(), response.headers["Last-Modified"]
        except (OSError, HTTPException):
            if attempt == TRIES - 1:
                raise
            time.sleep(0.5 * 2**attempt)


def requests_get(url):
    """Of the documents of Requests, "Transport Adapters", Example: Automatic Retries, which mounts
    urllib3's Retry; of urllib3's, "urllib3.util.Retry": status_forcelist, Retry-After is respected."""
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util import Retry

    with requests.Session() as session:
        retry = Retry(total=TRIES, backoff_factor=0.5, status_forcelist=[429, 500, 502, 503, 504])
        session.mount("http://", HTTPAdapter(max_retries=retry))
        response = session.get(url, headers=headers(), timeout=30)
        response.raise_for_status()
        return response.content, response.headers["Last-Modified"]


def download(number, path, **query):
    """Returns the path of the file and the time when it was made."""
    url = ENV["FEEDMILL_BASE_URL"] + "/buy/feed/v1_beta/" + path + "?" + urlencode(query)
    body, modified = GET(url)
    file = Path(ENV["FEEDMILL_FOLDER"], f"{number}.tsv.gz")
    file.write_bytes(body)
    return file, parsedate_to_datetime(modified)


def downloaded():
    """Returns the paths of the bootstrap file and of the snapshots after it."""
    category = ENV["FEEDMILL_CATEGORIES"]
    file, made = download(0, "item", feed_scope="ALL_ACTIVE", category_id=category)
    files = [file]
    # As in snapshots.mjs, the nearest hour.
    hour = (made + HOUR / 2).replace(minute=0, second=0)
    last = datetime.fromisoformat(ENV["FEEDMILL_NOW"].replace("Z", "+00:00")) - 2 * HOUR
    while hour <= last:
        date = hour.strftime("%Y-%m-%dT%H:00:00.000Z")
        files.append(download(len(files), "item_snapshot", category_id=category, snapshot_date=date)[0])
        hour += HOUR
    return files


def csv_parse(files):
    """Of the documents of Python, "gzip", "csv": Dialects and Formatting Parameters."""
    items = {}
    for path in files:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            rows = csv.reader(file, delimiter="\t", quotechar='"', escapechar="\\", doublequote=False, strict=True)
            names = [name.lower() for name in next(rows)]
            for cells in rows:
                row = dict(zip(names, cells, strict=True))
                if row["availability"] == "UNAVAILABLE":
                    items.pop(row["itemid"], None)
                else:
                    items[row["itemid"]] = row
    with open(ENV["FEEDMILL_OUTPUT"], "w", encoding="utf-8") as output:
        output.writelines(json.dumps(row) + "\n" for row in items.values())


def polars_parse(files):
    """Of the documents of Polars, "polars.read_csv", which inflates by itself: separator, quote_char,
    infer_schema. It has no parameter for the character that escapes."""
    import polars as pl

    frames = [pl.read_csv(path, separator="\t", quote_char='"', infer_schema=False) for path in files]
    rows = pl.concat([frame.rename(str.lower) for frame in frames], how="diagonal")
    items = rows.unique("itemid", keep="last", maintain_order=True)
    items.filter(pl.col("availability") != "UNAVAILABLE").write_ndjson(ENV["FEEDMILL_OUTPUT"])


GET = {"urllib": urllib_get, "requests": requests_get}[sys.argv[1]]
{"csv": csv_parse, "polars": polars_parse}[sys.argv[2]](downloaded())
