import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The tour of {@code docs/calling.md} on a running engine, with a sentence for each step: what was called, and what it returned. Run it with {@code
 * ./engine tour [<url> <key>]}. It can be played again: what is there already stays.
 */
final class Tour {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Pattern CALL = Pattern.compile("(?m)^call '(\\{.*})'$");
    private static final Set<String> SEEN_IN_THE_CONSOLE = Set.of("AP_Create", "AP_LogOn", "MB_Create", "MB_Store", "AP_Chat");

    private final HttpClient http = HttpClient.newHttpClient();
    private final String url;
    private final String key;

    private Tour(String url, String key) {
        this.url = url;
        this.key = key;
    }

    public static void main(String[] arguments) throws Exception {
        var port = System.getenv().getOrDefault("ENGINE_PORT", "8080");
        var url = arguments.length > 0 ? arguments[0].replaceAll("/+$", "") : "http://127.0.0.1:" + port;
        if (!isAddress(url)) {
            System.err.println("tour: the first argument must be the engine's URL, such as http://127.0.0.1:8080");
            System.exit(2);
        }
        new Tour(url, arguments.length > 1 ? arguments[1] : key(arguments.length == 0)).play(steps(Path.of("docs/calling.md")));
    }

    private static boolean isAddress(String url) {
        try {
            var uri = URI.create(url);
            return uri.getHost() != null && List.of("http", "https").contains(uri.getScheme());
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private void play(List<JsonNode> steps) throws IOException, InterruptedException {
        System.out.printf("Two agents share what one of them has learned. Watch it at %s/console/world%n%n", url);
        for (var i = 0; i < steps.size(); i++) {
            var step = steps.get(i);
            System.out.printf("%d  %s%n", i + 1, sentence(step));
            show(step, send(step));
        }
        System.out.printf("%nThe commands are those of docs/calling.md. Next: ./engine demo, with three agents and a decision of yours.%n");
    }

    /** The calls after the heading of the tour, in order. */
    private static List<JsonNode> steps(Path page) throws IOException {
        var text = Files.readString(page);
        var begin = text.indexOf("\n## A tour");
        var tour = text.substring(begin);
        return CALL.matcher(tour).results().map(call -> JSON.readTree(call.group(1))).toList();
    }

    private static String sentence(JsonNode step) {
        var name = step.at("/vx/name").asString("");
        var by = step.at("/target/context").asString("");
        var agent = step.at("/target/agent").asString("");
        var content = step.path("content").asString("");
        return switch (step.path("service").asString()) {
            case "AP_Create" -> "The agent %s is created: %s".formatted(name, step.at("/vx/description").asString(""));
            case "AP_LogOn" -> "%s logs on, in the context “%s”.".formatted(agent, by);
            case "MB_Create" -> "The bank %s is created, for everybody in the tenant.".formatted(name);
            case "MB_Store" -> "Stored in the bank %s: %s".formatted(step.at("/target/bank").asString(), content);
            case "AP_Chat" -> "Said to %s: %s".formatted(agent, content);
            case "MB_Search" -> "Asked the memory: %s".formatted(content);
            default -> step.path("service").asString();
        };
    }

    private static void show(JsonNode step, JsonNode answer) {
        var service = step.path("service").asString();
        if (!answer.at("/status/success").asBoolean()) {
            if (!answer.at("/status/error").asString("").equals("already_exists")) {
                System.err.printf("   %s was refused: %s%n", service, answer.at("/status/note").asString("no answer"));
                System.exit(1);
            }
            System.out.printf("   %s: it is there already.%n", service);
        } else if (service.equals("MB_Search")) {
            answer.path("content").forEach(hit -> System.out.printf(
                    "   %s found, by %s in %s: %s%n",
                    service,
                    hit.path("author").asString(),
                    hit.path("bank").asString(),
                    hit.path("text").asString(hit.path("snippet").asString(""))));
            if (answer.path("content").isEmpty()) {
                System.err.println("   nothing was found");
                System.exit(1);
            }
        } else {
            System.out.printf("   %s done%s%n", service, SEEN_IN_THE_CONSOLE.contains(service) ? ", as the console shows." : ".");
        }
    }

    private JsonNode send(JsonNode step) throws InterruptedException {
        try {
            var request = HttpRequest.newBuilder(URI.create(url + "/demo/v1/Engine/tps"))
                    .header("Content-Type", "application/json")
                    .header("X-Api-Key", key)
                    .POST(HttpRequest.BodyPublishers.ofString(step.toString()))
                    .build();
            return JSON.readTree(http.send(request, HttpResponse.BodyHandlers.ofByteArray()).body());
        } catch (IOException e) {
            System.err.printf("engine: nothing answers at %s; start ./engine first, or give the address%n", url);
            System.exit(1);
            throw new IllegalStateException(e);
        }
    }

    /** The key of this engine is sent to no other address. */
    private static String key(boolean isHere) throws IOException {
        var set = System.getenv("ENGINE_KEY");
        if (set != null && !set.isBlank()) {
            return set;
        }
        var first = Path.of(System.getenv().getOrDefault("ENGINE_DATA_DIR", ".engine"), "first-api-key");
        if (!isHere || !Files.exists(first)) {
            System.err.println("engine: set ENGINE_KEY to an API key, or give it: ./engine tour <url> <key>");
            System.exit(1);
        }
        return Files.readString(first).strip();
    }
}
