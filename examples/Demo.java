import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Starts the demo on a running engine, or removes it: Demo.java [start|replay|pause|resume|remove] [url] [key]. */
void main(String[] arguments) throws Exception {
    var actions = List.of("start", "replay", "pause", "resume", "remove");
    var named = arguments.length > 0 && actions.contains(arguments[0]);
    var action = named ? arguments[0] : "start";
    var rest = List.of(arguments).subList(named ? 1 : 0, arguments.length);
    var url = rest.isEmpty() ? "http://127.0.0.1:8080" : rest.getFirst().replaceAll("/+$", "");
    var request = HttpRequest.newBuilder(URI.create(url + "/api/demo"))
            .header("X-Api-Key", rest.size() > 1 ? rest.get(1) : key())
            .header("Content-Type", "application/json");
    if (action.equals("remove")) {
        request.DELETE();
    } else {
        request.POST(HttpRequest.BodyPublishers.ofString("{\"action\":\"%s\"}".formatted(action)));
    }
    try (var client = HttpClient.newHttpClient()) {
        var response = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            System.err.println("engine: " + response.body());
            System.exit(1);
        }
        System.out.println(
                action.equals("remove")
                        ? "The demo is gone."
                        : "Three agents handle an incident: watch and answer them at %s/console".formatted(url));
    } catch (ConnectException e) {
        System.err.println("engine: nothing answers at %s; start ./engine first, or give the address".formatted(url));
        System.exit(1);
    }
}

private static String key() throws IOException {
    var set = System.getenv("ENGINE_KEY");
    if (set != null && !set.isBlank()) {
        return set;
    }
    var first = Path.of(System.getenv().getOrDefault("ENGINE_DATA_DIR", ".engine"), "first-api-key");
    if (!Files.exists(first)) {
        System.err.println("engine: set ENGINE_KEY to the API key of an admin, or give it: ./engine demo <url> <key>");
        System.exit(1);
    }
    return Files.readString(first).strip();
}
