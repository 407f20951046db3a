"""The basics of Python's azure-cosmos. Arguments: endpoint, key, and over TLS the certificate to trust."""
import sys

from azure.core import MatchConditions
from azure.cosmos import CosmosClient, PartitionKey, SSLConfiguration, exceptions
from azure.cosmos._version import VERSION
from azure.cosmos.partition_key import NonePartitionKeyValue
from report import basic, raises, run

# Without this, the client checks no certificate of localhost.
trust = SSLConfiguration()
trust.SSLCaCerts = sys.argv[3] if len(sys.argv) > 3 else None
client = CosmosClient(sys.argv[1], sys.argv[2], ssl_config=trust)
database = client.create_database_if_not_exists("python")
items = database.create_container_if_not_exists("items", PartitionKey("/pk"))


def query(text, **options):
    return list(items.query_items(text, enable_cross_partition_query=True, **options))


@basic
def create():
    """documents: create, read"""
    for i in range(30):
        items.create_item({"id": f"{i:02}", "pk": "a" if i % 3 == 0 else "b", "n": i, "tags": ["x", "y"]})
    assert items.read_item("00", "a")["n"] == 0


@basic
def absent():
    """documents: 404 and 409 as the SDK's errors"""
    raises(exceptions.CosmosResourceNotFoundError, lambda: items.read_item("zz", "a"))
    raises(exceptions.CosmosResourceExistsError, lambda: items.create_item({"id": "00", "pk": "a"}))


@basic
def etags():
    """documents: upsert, replace with an ETag, delete"""
    first = items.upsert_item({"id": "e", "pk": "a", "n": 1})
    condition = {"etag": first["_etag"], "match_condition": MatchConditions.IfNotModified}
    second = items.replace_item(first, {"id": "e", "pk": "a", "n": 2}, **condition)
    raises(
        exceptions.CosmosAccessConditionFailedError,
        lambda: items.replace_item("e", {"id": "e", "pk": "a", "n": 3}, **condition),
    )
    items.delete_item(second, "a")


@basic
def queries():
    """queries: over all partitions, sorted, grouped, aggregated, joined"""
    assert len(query("SELECT * FROM c")) == 30
    assert query("SELECT VALUE COUNT(1) FROM c") == [30]
    assert query("SELECT VALUE c.n FROM c ORDER BY c.n DESC", max_item_count=7)[:2] == [29, 28]
    assert len(query("SELECT VALUE t FROM c JOIN t IN c.tags")) == 60
    assert query("SELECT TOP 3 VALUE c.n FROM c ORDER BY c.n") == [0, 1, 2]
    assert query("SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 3 LIMIT 2") == [3, 4]
    assert len(query("SELECT c.pk, COUNT(1) AS n FROM c GROUP BY c.pk")) == 2
    assert query("SELECT VALUE AVG(c.n) FROM c") == [14.5]


@basic
def partitions():
    """queries: over several physical partitions, sorted, aggregated, paged"""
    wide = database.create_container_if_not_exists("wide", PartitionKey("/pk"), offer_throughput=20000)
    for i in range(30):
        wide.create_item({"id": f"{i:02}", "pk": f"p{i}", "n": i, "kind": i % 3})
    assert len(list(wide.client_connection._ReadPartitionKeyRanges(wide.container_link))) == 4

    def over(text, **options):
        return list(wide.query_items(text, enable_cross_partition_query=True, **options))

    assert len(over("SELECT * FROM c")) == 30
    assert over("SELECT VALUE c.n FROM c ORDER BY c.n DESC", max_item_count=7) == list(range(29, -1, -1))
    assert over("SELECT TOP 3 VALUE c.n FROM c ORDER BY c.n") == [0, 1, 2]
    assert over("SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 3 LIMIT 2") == [3, 4]
    assert over("SELECT VALUE COUNT(1) FROM c WHERE c.n > 9") == [20]
    assert over("SELECT VALUE AVG(c.n) FROM c") == [14.5]
    assert over("SELECT VALUE MAX(c.n) FROM c") == [29]


@basic
def parameters():
    """queries: with parameters, in one partition, a fault in the text"""
    found = items.query_items(
        "SELECT * FROM c WHERE c.n > @n", parameters=[{"name": "@n", "value": 20}], partition_key="a"
    )
    assert len(list(found)) == 3
    raises(exceptions.CosmosHttpResponseError, lambda: query("SELEC"), status_code=400)


@basic
def metrics():
    """queries: metrics"""
    list(items.query_items("SELECT * FROM c", partition_key="a", populate_query_metrics=True))
    headers = items.client_connection.last_response_headers
    assert "retrievedDocumentCount" in headers["x-ms-documentdb-query-metrics"]


@basic
def pages():
    """queries: pages and continuation tokens"""
    assert len(list(items.read_all_items(max_item_count=4))) == 30
    first = items.query_items("SELECT * FROM c", partition_key="b", max_item_count=8).by_page()
    assert len(list(next(first))) == 8
    rest = items.query_items("SELECT * FROM c", partition_key="b", max_item_count=8)
    assert len(list(next(rest.by_page(first.continuation_token)))) == 8


@basic
def containers():
    """containers: list, query, replace, unique keys"""
    assert len(list(database.list_containers())) >= 2
    assert len(list(database.query_containers("SELECT * FROM c WHERE c.id = 'items'"))) == 1
    database.replace_container(items, PartitionKey("/pk"), default_ttl=100)
    assert items.read()["defaultTtl"] == 100
    unique = database.create_container_if_not_exists(
        "unique", PartitionKey("/pk"), unique_key_policy={"uniqueKeys": [{"paths": ["/e"]}]}
    )
    unique.create_item({"id": "1", "pk": "a", "e": 1})
    raises(exceptions.CosmosResourceExistsError, lambda: unique.create_item({"id": "2", "pk": "a", "e": 1}))


@basic
def unicode():
    """names and keys beyond ASCII"""
    other = database.create_container_if_not_exists("注文", PartitionKey("/pk"))
    other.create_item({"id": "ä", "pk": "ö"})
    assert other.read_item("ä", "ö")["id"] == "ä"
    assert len(list(other.query_items("SELECT * FROM c", enable_cross_partition_query=True))) == 1


@basic
def keys():
    """documents: partition keys of null and of none"""
    items.create_item({"id": "k", "pk": None})
    items.create_item({"id": "k"})
    assert items.read_item("k", NonePartitionKeyValue)["id"] == "k"
    assert query("SELECT VALUE c.id FROM c WHERE c.pk = null") == ["k"]


@basic
def procedures():
    """stored procedures are refused by name"""
    body = {"id": "s", "body": "function(){}"}
    error = raises(
        exceptions.CosmosHttpResponseError, lambda: items.scripts.create_stored_procedure(body), status_code=400
    )
    assert "Stored procedures are not supported" in str(error)


run(VERSION)
