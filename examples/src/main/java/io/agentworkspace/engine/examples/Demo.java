package io.agentworkspace.engine.examples;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The demo, in which three agents handle an incident and ask a person: a client of the engine. It prepares everything over REST with
 * the key of an admin; then each agent acts over MCP with its own key. {@code ./engine demo} runs it, and so does the console's button.
 */
public final class Demo {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final DemoStory STORY = DemoStory.STORY;
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofMillis(300);

    /** How long the agents wait for a person's answer before they choose for themselves. */
    private static final Duration ANSWER_TIME = Duration.ofMinutes(1);

    private static final int SECONDS = 90;

    private final URI engine;
    private final String key;
    private final Map<String, String> agentKeys = new LinkedHashMap<>();
    private final List<String> keyIds = new ArrayList<>();
    private final HttpClient http = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();

    private @Nullable String lastMessage;

    /**
     * @param engine the URL at which the engine serves
     * @param key the key of an admin that may create agents, domains, banks and keys
     */
    public Demo(URI engine, String key) {
        this.engine = engine;
        this.key = key;
    }

    /** A call that the demo needs was refused, with the engine's note. */
    public static final class RefusedException extends IOException {
        private RefusedException(String tool, JsonNode answer) {
            super("%s was refused: %s".formatted(tool, note(answer)));
        }

        private static String note(JsonNode answer) {
            return answer.at("/status/note").asString(answer.path("detail").asString(""));
        }
    }

    /** What the demo waits for. */
    public enum Phase {
        RUNNING,
        WAITING,
        FINISHED
    }

    /**
     * How far the demo is.
     *
     * @param step the index of the next step
     * @param answer the person's answer, once there is one
     */
    public record Progress(Phase phase, int step, @Nullable String answer) {
        /** Returns the progress as people read it: how many steps, the latest of them, and the question while it is open. */
        public ObjectNode document() {
            var document = JSON.createObjectNode()
                    .put("step", STORY.before(step))
                    .put("steps", STORY.before(STORY.steps().size()))
                    .put("domain", STORY.domain())
                    .put("zone", STORY.zone());
            STORY.lastBefore(step, answer)
                    .ifPresent(done -> document.putObject("doing")
                            .put("agent", done.agent())
                            .put("tool", done.tool())
                            .put("words", done.does()));
            if (isQuestion() && phase == Phase.WAITING) {
                document.put("question", STORY.question());
                var answers = document.putArray("answers");
                STORY.answers().forEach(each -> answers.add(each.text()));
            }
            return answer == null ? document : document.put("answer", answer);
        }

        /** Returns whether the next step is a person's. */
        public boolean isQuestion() {
            return step < STORY.steps().size() && STORY.steps().get(step).isQuestion();
        }
    }

    /** Whether the demo goes on. */
    public enum Command {
        CONTINUE,
        PAUSE,
        STOP
    }

    /** Follows the demo: it hears the progress a few times a second. */
    @FunctionalInterface
    public interface Monitor {
        Command report(Progress progress);
    }

    /** Creates the agents, their domain, banks and keys; if a call is refused, nothing of them stays. */
    public void setUp() throws IOException, InterruptedException {
        var made = new ArrayList<DemoStory.Call>();
        try {
            for (var call : STORY.setup()) {
                prepare(call.tool(), call.arguments());
                made.add(call);
            }
            for (var agent : STORY.agents()) {
                var arguments = JSON.createObjectNode()
                        .put("name", "demo " + agent)
                        .put("agent", agent)
                        .put("environment", "demo")
                        .put("expires_in_seconds", 86_400);
                STORY.capabilities().forEach(arguments.putArray("capabilities")::add);
                var created = prepare("AK_Create", arguments);
                agentKeys.put(agent, created.path("api_key").asString());
                keyIds.add(created.at("/key/id").asString());
            }
        } catch (RefusedException refused) {
            undo(made, keyIds);
            throw refused;
        }
    }

    /** Removes what {@link #setUp} creates. Things that are gone, or that belong to somebody else by now, stay as they are. */
    public void remove() throws IOException, InterruptedException {
        undo(STORY.setup(), existingKeys());
    }

    private void undo(List<DemoStory.Call> made, List<String> ids) throws IOException, InterruptedException {
        for (var id : ids) {
            invoke("AK_Delete", JSON.createObjectNode().put("id", id));
        }
        for (var call : made.reversed()) {
            if (call.undo() != null) {
                invoke(call.undo().tool(), call.undo().arguments());
            }
        }
    }

    private List<String> existingKeys() throws IOException, InterruptedException {
        var arguments = JSON.createObjectNode();
        arguments.putObject("page").put("limit", 200);
        return prepare("AK_List", arguments)
                .path("keys")
                .valueStream()
                .filter(each -> STORY.agents().contains(each.path("agent").asString("")))
                .filter(each -> each.path("name")
                        .asString()
                        .equals("demo " + each.path("agent").asString()))
                .map(each -> each.path("id").asString())
                .toList();
    }

    /** Plays the demo in about so many seconds, without the wait for the answer. */
    public void play(int seconds, Monitor monitor) throws IOException, InterruptedException {
        String answer = null;
        for (var i = 0; i < STORY.steps().size(); i++) {
            var step = STORY.steps().get(i);
            if (!step.follows(answer)) {
                continue;
            }
            var pause = i == 0 ? 0 : 1000L * seconds * step.pause() / STORY.pauses();
            if (!hold(Duration.ofMillis(pause), new Progress(Phase.RUNNING, i, answer), monitor)) {
                return;
            }
            if (!step.isQuestion()) {
                act(step);
            } else if (hold(ANSWER_TIME, new Progress(Phase.WAITING, i, null), monitor)) {
                answer = STORY.chosen(personsWords());
            } else {
                return;
            }
        }
        monitor.report(new Progress(Phase.FINISHED, STORY.steps().size(), answer));
    }

    /** Waits until the time is over or the open question is answered. Whoever resumes a paused demo does not wait again. */
    private boolean hold(Duration time, Progress progress, Monitor monitor) throws IOException, InterruptedException {
        var isOpen = progress.phase() == Phase.WAITING;
        var due = System.nanoTime() + time.toNanos();
        while (true) {
            var command = monitor.report(progress);
            if (command == Command.STOP) {
                return false;
            } else if (command == Command.PAUSE) {
                due = System.nanoTime() + (isOpen ? time.toNanos() : 0);
            } else if (due - System.nanoTime() <= 0 || (isOpen && personsWords() != null)) {
                return true;
            }
            var left = command == Command.PAUSE ? LOOK.toNanos() : due - System.nanoTime();
            Thread.sleep(Duration.ofNanos(Math.clamp(left, 0, LOOK.toNanos())));
        }
    }

    private void act(DemoStory.Step step) throws IOException, InterruptedException {
        var arguments = Objects.requireNonNull(step.arguments()).deepCopy();
        if (Boolean.TRUE.equals(step.replies()) && lastMessage != null) {
            arguments.put("reply_to", lastMessage);
        }
        var tool = Objects.requireNonNull(step.tool());
        var answer = call(Objects.requireNonNull(step.agent()), tool, arguments);
        if (arguments.at("/target/zone").isString()
                && answer.at("/status/success").asBoolean(false)) {
            lastMessage = answer.at("/content/0/id").asString();
        }
    }

    /** Returns what a person has said in the zone since the agents' last message. */
    private @Nullable String personsWords() throws IOException, InterruptedException {
        var arguments = JSON.createObjectNode();
        arguments.putObject("target").put("domain", STORY.domain()).put("zone", STORY.zone());
        arguments.putObject("page").put("limit", 10);
        String words = null;
        var isLater = false;
        for (var message : call(STORY.agents().getFirst(), "ZN_Read", arguments).path("content")) {
            if (message.path("id").asString("").equals(lastMessage)) {
                isLater = true;
            } else if (isLater && message.path("from_kind").asString("").equals("user")) {
                words = message.path("content").asString("");
            }
        }
        return words;
    }

    /** Calls a tool as an agent, over MCP, and returns its answer, even if it is a refusal. */
    private JsonNode call(String agent, String tool, ObjectNode arguments) throws IOException, InterruptedException {
        var message = JSON.createObjectNode()
                .put("jsonrpc", "2.0")
                .put("id", UUID.randomUUID().toString())
                .put("method", "tools/call");
        message.putObject("params").put("name", tool).set("arguments", arguments);
        var agentKey = Objects.requireNonNull(agentKeys.get(agent));
        return post("/mcp", agentKey, "demo-" + agent, message).at("/result/structuredContent");
    }

    /** Calls a tool with the admin's key. */
    private JsonNode prepare(String tool, ObjectNode arguments) throws IOException, InterruptedException {
        var answer = invoke(tool, arguments);
        if (!answer.at("/status/error").isMissingNode() || answer.has("error")) {
            throw new RefusedException(tool, answer);
        }
        return answer;
    }

    private JsonNode invoke(String tool, ObjectNode arguments) throws IOException, InterruptedException {
        return post("/api/mcp/tools/%s/invoke".formatted(tool), key, "demo", arguments);
    }

    private JsonNode post(String path, String usedKey, String client, JsonNode body)
            throws IOException, InterruptedException {
        var request = HttpRequest.newBuilder(engine.resolve(path))
                .timeout(PATIENCE)
                .header("Content-Type", "application/json")
                .header("Accept", "application/json")
                .header("X-API-Key", usedKey)
                .header("User-Agent", client)
                .POST(HttpRequest.BodyPublishers.ofByteArray(JSON.writeValueAsBytes(body)))
                .build();
        return JSON.readTree(
                http.send(request, HttpResponse.BodyHandlers.ofByteArray()).body());
    }

    /** {@code ./engine demo [remove] [<url> [<key>]]}. */
    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.ROOT);
        var isRemoval = arguments.length > 0 && arguments[0].equals("remove");
        var rest = List.of(arguments).subList(isRemoval ? 1 : 0, arguments.length);
        var port = System.getenv().getOrDefault("ENGINE_PORT", "8080");
        var url = rest.isEmpty() ? "http://127.0.0.1:" + port : rest.getFirst().replaceAll("/+$", "");
        try {
            var demo = new Demo(URI.create(url), rest.size() > 1 ? rest.get(1) : keyOfAdmin(rest.isEmpty()));
            if (isRemoval) {
                demo.removeEverywhere();
                IO.println("The demo is gone.");
            } else {
                demo.setUp();
                IO.println("Three agents handle an incident: watch them at %s/console".formatted(url));
                demo.play(SECONDS, new Printer(url));
            }
        } catch (ConnectException e) {
            fail("nothing answers at %s; start ./engine first, or give the address".formatted(url));
        } catch (IOException e) {
            fail(String.valueOf(e.getMessage()));
        }
    }

    /** Also removes the demo that the console's button started, which the engine counts. */
    private void removeEverywhere() throws IOException, InterruptedException {
        http.send(
                HttpRequest.newBuilder(engine.resolve("/api/demo"))
                        .header("X-API-Key", key)
                        .DELETE()
                        .build(),
                HttpResponse.BodyHandlers.discarding());
        var keys = existingKeys();
        if (!keys.isEmpty()) { // Otherwise an agent of the same name is somebody else's.
            undo(STORY.setup(), keys);
        }
    }

    /** The first key of the engine on this machine is sent to no other address. */
    private static String keyOfAdmin(boolean isHere) throws IOException {
        var set = System.getenv().getOrDefault("ENGINE_KEY", "");
        var first = Path.of(System.getenv().getOrDefault("ENGINE_DATA_DIR", ".engine"), "first-api-key");
        if (set.isBlank() && !(isHere && Files.exists(first))) {
            fail("set ENGINE_KEY to the API key of an admin, or give it: ./engine demo <url> <key>");
        }
        return set.isBlank() ? Files.readString(first).strip() : set;
    }

    private static void fail(String message) {
        IO.println("engine: " + message);
        System.exit(1);
    }

    /** Prints each step, and the question once. */
    private static final class Printer implements Monitor {
        private final String url;
        private String last = "";

        private Printer(String url) {
            this.url = url;
        }

        @Override
        public Command report(Progress progress) {
            var document = progress.document();
            var line = document.has("question")
                    ? "The agents ask: %s Answer at %s/console/spaces/%s/%s"
                            .formatted(STORY.question(), url, STORY.domain().replace(" ", "%20"), STORY.zone())
                    : "%s %s"
                            .formatted(
                                    document.at("/doing/agent").asString(""),
                                    document.at("/doing/words").asString(""));
            if (!line.equals(last) && !line.isBlank()) {
                IO.println(line);
                last = line;
            }
            return Command.CONTINUE;
        }
    }
}
