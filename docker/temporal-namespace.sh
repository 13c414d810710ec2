#!/bin/sh
# Creates the namespace and the search attributes that Armature writes. May be repeated: what is there stays.
# The address comes from TEMPORAL_ADDRESS, which the temporal command reads by itself.
set -eu

namespace=${TEMPORAL_NAMESPACE:-default}
retention=${TEMPORAL_RETENTION:-168h}

# retry WHAT COMMAND...: up to two minutes, then the command's own words and a failure.
retry() {
  what=$1
  shift
  attempt=1
  until said=$("$@" 2>&1); do
    if [ "$attempt" -ge 60 ]; then
      echo "$what: gave up. $said" >&2
      exit 1
    fi
    attempt=$((attempt + 1))
    sleep 2
  done
  echo "$what: done"
}

create_namespace() {
  temporal operator namespace describe --namespace "$namespace" ||
    temporal operator namespace create --namespace "$namespace" --retention "$retention"
}

create_search_attributes() {
  temporal operator search-attribute create --namespace "$namespace" \
    --name TenantKey --type Keyword --name JobKind --type Keyword \
    --name JobId --type Keyword --name Actor --type Keyword \
    --name JobPercent --type Int
}

# The frontend learns of a new attribute from a cache, seconds later. Waiting here spares the API the errors of that gap.
query_search_attributes() {
  temporal workflow count --namespace "$namespace" \
    --query "TenantKey = '-' AND JobKind = '-' AND JobId = '-' AND Actor = '-' AND JobPercent = 0"
}

retry "Temporal answers" temporal operator cluster health
retry "Namespace $namespace" create_namespace
retry "Search attributes" create_search_attributes
retry "Search attributes usable" query_search_attributes
