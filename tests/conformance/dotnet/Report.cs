// Runs the basics of one client one after the other, and prints the outcome of each as a line of JSON.
using System.Text.Json;

static class Report
{
    static readonly TimeSpan Limit = TimeSpan.FromSeconds(30);

    public static void Of(Type client) =>
        Console.WriteLine(JsonSerializer.Serialize(new { version = client.Assembly.GetName().Version!.ToString(3) }));

    public static async Task Basic(string name, Func<Task> run)
    {
        try
        {
            await run().WaitAsync(Limit);
            Console.WriteLine(JsonSerializer.Serialize(new { name, outcome = "passed" }));
        }
        catch (Exception fault)
        {
            var error = $"{fault.GetType().Name}: {fault.Message}";
            Console.WriteLine(JsonSerializer.Serialize(new { name, outcome = "failed", error }));
        }
    }

    public static void Equal<T>(T wanted, T found)
    {
        if (!EqualityComparer<T>.Default.Equals(wanted, found)) throw new Exception($"{found} is not {wanted}");
    }

    /// <summary>Fails unless the call throws this kind of fault; returns it.</summary>
    public static async Task<T> Throws<T>(Func<Task> run) where T : Exception
    {
        try { await run(); }
        catch (T fault) { return fault; }
        throw new Exception($"no {typeof(T).Name} was thrown");
    }
}
