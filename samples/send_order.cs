#:package Azure.Messaging.ServiceBus@7.21.0
// Sends an order from .NET and prints its statuses until its end. docs/how-to/submitting.md, "From .NET and Python".
using System.Text.Json.Nodes;
using Azure.Messaging.ServiceBus;

var order = JsonNode.Parse(File.ReadAllText(args[0]))!;
var orderId = (string)order["orderId"]!;
var session = Guid.NewGuid().ToString();
await using var bus = new ServiceBusClient(Environment.GetEnvironmentVariable("ServiceBus"));
// Before it sends: no status comes too early.
await using var replies = await bus.AcceptSessionAsync("replies-shop-sessions", session);
await bus.CreateSender("jobs").SendMessageAsync(new ServiceBusMessage(order.ToJsonString())
{
    ContentType = "application/json", MessageId = orderId, CorrelationId = orderId, ReplyTo = "replies-shop-sessions", ReplyToSessionId = session,
});
string[] ends = ["Completed", "Failed", "Compensated", "Cancelled", "Rejected"];
for (var seen = new HashSet<string>(); ;)
{
    var message = await replies.ReceiveMessageAsync(TimeSpan.FromSeconds(60));
    if (message is null)
    {
        Console.Error.WriteLine("No status for a minute. An order that was sent before reports to the address of its first submission: give it another orderId.");
        return 1;
    }
    await replies.CompleteMessageAsync(message);
    if (!seen.Add(message.MessageId)) continue; // Delivered again.
    var status = JsonNode.Parse(message.Body.ToString())!;
    Console.WriteLine($"{status["status"]} {status["step"] ?? status["detail"]}");
    if (ends.Contains((string)status["status"]!)) return (string)status["status"]! == "Completed" ? 0 : 1;
}
