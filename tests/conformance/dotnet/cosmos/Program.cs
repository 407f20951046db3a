// The basics of .NET's Cosmos client. Arguments: endpoint, key, and over TLS the certificate to trust.
using System.Net;
using System.Security.Cryptography.X509Certificates;
using Microsoft.Azure.Cosmos;
using Microsoft.Azure.Cosmos.Scripts;
using Newtonsoft.Json.Linq;
using static Report;

var trusted = args.Length > 2 ? X509CertificateLoader.LoadCertificateFromFile(args[2]).Thumbprint : null;
CosmosClient Connect(bool inBulk = false) => new(args[0], args[1], new()
{
    ConnectionMode = ConnectionMode.Gateway,
    LimitToEndpoint = true,
    RequestTimeout = TimeSpan.FromSeconds(10),
    AllowBulkExecution = inBulk,
    ServerCertificateCustomValidationCallback = trusted == null ? null : (certificate, _, _) => certificate.Thumbprint == trusted,
});
using var client = Connect();
Of(typeof(CosmosClient));
Database database = await client.CreateDatabaseIfNotExistsAsync("net");
Container items = await database.CreateContainerIfNotExistsAsync(new ContainerProperties("items", "/pk"));
var a = new PartitionKey("a");

async Task<List<T>> Query<T>(string text, QueryRequestOptions? how = null)
{
    var all = new List<T>();
    using var pages = items.GetItemQueryIterator<T>(text, requestOptions: how);
    while (pages.HasMoreResults) all.AddRange(await pages.ReadNextAsync());
    return all;
}

await Basic("documents: create, read, 404 and 409", async () =>
{
    for (var i = 0; i < 30; i++)
        await items.CreateItemAsync(new { id = $"{i:00}", pk = i % 3 == 0 ? "a" : "b", n = i, name = $"name {i}", tags = new[] { "x", "y" } });
    var read = await items.ReadItemAsync<JObject>("00", a);
    Equal(0, (int)read.Resource["n"]!);
    var absent = await Throws<CosmosException>(() => items.ReadItemAsync<JObject>("none", a));
    Equal(HttpStatusCode.NotFound, absent.StatusCode);
    var twice = await Throws<CosmosException>(() => items.CreateItemAsync(new { id = "00", pk = "a" }));
    Equal(HttpStatusCode.Conflict, twice.StatusCode);
});

await Basic("documents: upsert, replace with an ETag, delete, no content on write", async () =>
{
    var first = await items.UpsertItemAsync(new { id = "e", pk = "a", n = 1 });
    var condition = new ItemRequestOptions { IfMatchEtag = first.ETag };
    await items.ReplaceItemAsync(new { id = "e", pk = "a", n = 2 }, "e", a, condition);
    var late = await Throws<CosmosException>(() => items.ReplaceItemAsync(new { id = "e", pk = "a", n = 3 }, "e", a, condition));
    Equal(HttpStatusCode.PreconditionFailed, late.StatusCode);
    var silent = await items.UpsertItemAsync(new JObject { ["id"] = "e", ["pk"] = "a" }, a, new() { EnableContentResponseOnWrite = false });
    Equal(null, silent.Resource);
    await items.DeleteItemAsync<JObject>("e", a);
});

await Basic("documents: patch, and with a condition", async () =>
{
    var b = new PartitionKey("b");
    var patched = await items.PatchItemAsync<JObject>("01", b, [PatchOperation.Increment("/n", 100), PatchOperation.Add("/tags/-", "z")]);
    Equal(101, (int)patched.Resource["n"]!);
    var refused = await Throws<CosmosException>(() => items.PatchItemAsync<JObject>("01", b, [PatchOperation.Set("/n", 1)], new() { FilterPredicate = "FROM c WHERE c.n = 99" }));
    Equal(HttpStatusCode.PreconditionFailed, refused.StatusCode);
    await items.PatchItemAsync<JObject>("01", b, [PatchOperation.Set("/n", 1)]);
});

await Basic("queries: sorted, aggregated, grouped, joined", async () =>
{
    Equal(30, (await Query<JObject>("SELECT * FROM c")).Count);
    Equal(10, (await Query<JObject>("SELECT * FROM c", new() { PartitionKey = a })).Count);
    Equal(29, (await Query<int>("SELECT VALUE c.n FROM c ORDER BY c.n DESC", new() { MaxItemCount = 7 }))[0]);
    Equal(30, (await Query<int>("SELECT VALUE COUNT(1) FROM c"))[0]);
    Equal(2, (await Query<JObject>("SELECT c.pk, COUNT(1) AS n FROM c GROUP BY c.pk")).Count);
    Equal(5, (await Query<int>("SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 3 LIMIT 5")).Count);
    Equal(61, (await Query<string>("SELECT VALUE t FROM c JOIN t IN c.tags", new() { MaxItemCount = 7 })).Count);
});

await Basic("queries: over several physical partitions, sorted, aggregated, grouped, paged", async () =>
{
    Container wide = await database.CreateContainerIfNotExistsAsync(new ContainerProperties("wide", "/pk"), 20000);
    for (var i = 0; i < 30; i++) await wide.CreateItemAsync(new { id = $"{i:00}", pk = $"p{i}", n = i, kind = i % 3 });
    async Task<List<T>> Over<T>(string text)
    {
        var all = new List<T>();
        string? token = null;
        do
        {
            using var pages = wide.GetItemQueryIterator<T>(text, token, new() { MaxItemCount = 7 });
            var page = await pages.ReadNextAsync();
            all.AddRange(page);
            token = page.ContinuationToken;
        } while (token != null);
        return all;
    }
    Equal(4, (await wide.GetFeedRangesAsync()).Count);
    Equal(30, (await Over<JObject>("SELECT * FROM c")).Count);
    Equal(true, (await Over<int>("SELECT VALUE c.n FROM c ORDER BY c.n DESC")).SequenceEqual(Enumerable.Range(0, 30).Reverse()));
    Equal(true, (await Over<int>("SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 3 LIMIT 2")).SequenceEqual([3, 4]));
    Equal(20, (await Over<int>("SELECT VALUE COUNT(1) FROM c WHERE c.n > 9")).Single());
    Equal(14.5, (await Over<double>("SELECT VALUE AVG(c.n) FROM c")).Single());
    var groups = new List<JObject>();
    using var grouping = wide.GetItemQueryIterator<JObject>("SELECT c.kind, COUNT(1) AS many, MIN(c.n) AS low FROM c GROUP BY c.kind");
    while (grouping.HasMoreResults) groups.AddRange(await grouping.ReadNextAsync());
    Equal("10:0 10:1 10:2", string.Join(' ', groups.Select(group => $"{group["many"]}:{group["low"]}").Order()));
});

await Basic("queries: LINQ, continuation tokens, a fault in the text", async () =>
{
    Equal(4, items.GetItemLinqQueryable<Row>(true).Where(row => row.n > 25 && row.name!.StartsWith("name")).OrderBy(row => row.n).ToList().Count);
    string? token = null;
    var total = 0;
    do
    {
        using var pages = items.GetItemQueryIterator<JObject>("SELECT * FROM c ORDER BY c.n", token, new() { MaxItemCount = 8 });
        var page = await pages.ReadNextAsync();
        (total, token) = (total + page.Count, page.ContinuationToken);
    } while (token != null);
    Equal(30, total);
    Equal(HttpStatusCode.BadRequest, (await Throws<CosmosException>(() => Query<JObject>("SELEC * FROM c"))).StatusCode);
});

await Basic("read many; a feed range", async () =>
{
    var found = await items.ReadManyItemsAsync<JObject>([("00", a), ("02", new("b")), ("none", a)]);
    Equal(2, found.Count);
    Equal(1, (await items.GetFeedRangesAsync()).Count);
});

await Basic("a query over the feed range of one partition key", async () =>
{
    using var pages = items.GetItemQueryIterator<JObject>(FeedRange.FromPartitionKey(a), new QueryDefinition("SELECT * FROM c"));
    Equal(10, (await pages.ReadNextAsync()).Count);
});

await Basic("batches: whole or not at all", async () =>
{
    var key = new PartitionKey("batch");
    using var good = await items.CreateTransactionalBatch(key).CreateItem(new { id = "1", pk = "batch", n = 1 }).PatchItem("1", [PatchOperation.Increment("/n", 1)]).ReadItem("1").ExecuteAsync();
    Equal(true, good.IsSuccessStatusCode);
    using var bad = await items.CreateTransactionalBatch(key).CreateItem(new { id = "2", pk = "batch" }).CreateItem(new { id = "1", pk = "batch" }).ExecuteAsync();
    Equal(HttpStatusCode.Conflict, bad.StatusCode);
    Equal((HttpStatusCode)424, bad[0].StatusCode);
    Equal(HttpStatusCode.NotFound, (await items.ReadItemStreamAsync("2", key)).StatusCode);
});

await Basic("bulk", async () =>
{
    using var bulk = Connect(inBulk: true);
    var into = bulk.GetContainer("net", "items");
    await Task.WhenAll(Enumerable.Range(0, 200).Select(i => into.CreateItemAsync(new { id = $"bulk{i}", pk = $"bulk{i % 7}" }, new PartitionKey($"bulk{i % 7}"))));
});

await Basic("hierarchical partition keys", async () =>
{
    Container tree = await database.CreateContainerIfNotExistsAsync(new ContainerProperties("tree", new List<string> { "/t", "/u", "/s" }));
    foreach (var u in new[] { "x", "y" })
        foreach (var s in new[] { 1.0, 2.0 })
            await tree.CreateItemAsync(new { id = u + s, t = "a", u, s }, new PartitionKeyBuilder().Add("a").Add(u).Add(s).Build());
    using var under = tree.GetItemQueryIterator<JObject>("SELECT * FROM c", requestOptions: new() { PartitionKey = new PartitionKeyBuilder().Add("a").Add("y").Build() });
    Equal(2, (await under.ReadNextAsync()).Count);
});

await Basic("containers: unique keys, time to live, composite indexes", async () =>
{
    Container other = await database.CreateContainerIfNotExistsAsync(new ContainerProperties("other", "/pk") { UniqueKeyPolicy = new() { UniqueKeys = { new UniqueKey { Paths = { "/email" } } } } }, 400);
    await other.CreateItemAsync(new { id = "1", pk = "a", email = "e" });
    Equal(HttpStatusCode.Conflict, (await Throws<CosmosException>(() => other.CreateItemAsync(new { id = "2", pk = "a", email = "e" }))).StatusCode);
    ContainerProperties properties = await other.ReadContainerAsync();
    properties.DefaultTimeToLive = 1000;
    Equal(1000, (await other.ReplaceContainerAsync(properties)).Resource.DefaultTimeToLive);
});

await Basic("stored procedures are refused by name", async () =>
{
    var refused = await Throws<CosmosException>(() => items.Scripts.CreateStoredProcedureAsync(new StoredProcedureProperties("s", "function(){}")));
    Equal(true, refused.Message.Contains("Stored procedures are not supported"));
});

public record Row(string id, string pk, int n, string? name);
