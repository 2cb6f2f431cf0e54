import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Prepares what the benchmark's calls need in an engine, and builds the requests. */
final class Workspace {
    static final int TARGETS = 32;
    static final int CHATTERS = 20;
    private static final int REQUESTS = 64;
    private static final String CLIENT = "\"io.modelcontextprotocol/clientCapabilities\":{},\"io.modelcontextprotocol/clientInfo\":{\"name\":\"bench\",\"version\":\"1\"}";

    private final String url;
    private final String key;
    private final List<String> chatters = new ArrayList<>();
    private final String creator;
    private final String session;

    /** Creates users, agents, a domain and banks. */
    Workspace(Engine engine) throws Exception {
        url = engine.url();
        key = engine.key();
        var callers = new Callers(url, key);
        var names = new ArrayList<>(IntStream.range(0, TARGETS).mapToObj(i -> "Target" + i).toList());
        names.add("Reader"); // Receives no messages later, so that its responses stay the same.
        for (var name : names) {
            callers.call(new Callers.Work(
                    "AP_Create",
                    Map.of("vx", Map.of("name", name, "description", "Is spoken to.", "profile", "You read what you are sent. ".repeat(10)))));
        }
        for (var i = 0; i < 10; i++) {
            callers.call(new Callers.Work("AP_Chat", Map.of("target", Map.of("agent", "Reader"), "content", text(i))));
        }
        callers.call(new Callers.Work("DM_Create", Map.of("target", Map.of("agent", "Target0"), "vx", Map.of("name", "Square", "description", "Where all talk.", "access", "public"))));
        for (var bank : List.of("Read", "Written")) {
            callers.call(new Callers.Work("MB_Create", Map.of("vx", Map.of("name", bank, "description", "Of the benchmark."))));
        }
        for (var i = 0; i < 10; i++) {
            callers.call(new Callers.Work("MB_Store", Map.of("target", Map.of("bank", "Read"), "vx", Map.of("name", "memory " + i), "content", text(i))));
        }
        for (var i = 0; i < CHATTERS; i++) {
            chatters.add(user(callers, "chatter" + i));
        }
        creator = user(callers, "creator");
        new Callers(url, creator).call(new Callers.Work("AP_Create", Map.of("vx", Map.of("name", "Founder", "description", "Creates domains."))));
        session = Sessions.begin(url, key);
    }

    /** Creates Agent0, Agent1 and so on, and the domain {@code bench} of all of them. */
    static void domain(Callers callers, int agents) throws Exception {
        for (var i = 0; i < agents; i++) {
            callers.call(new Callers.Work("AP_Create", Map.of("vx", Map.of("name", "Agent" + i, "description", "Works."))));
        }
        callers.call(new Callers.Work(
                "DM_Create", Map.of("target", Map.of("agent", "Agent0"), "vx", Map.of("name", "bench", "description", "Of the benchmark."))));
        for (var i = 1; i < agents; i++) {
            callers.call(new Callers.Work("DM_Invite", Map.of("target", Map.of("domain", "bench", "agent", "Agent" + i))));
        }
    }

    private static String user(Callers callers, String name) throws Exception {
        callers.call(new Callers.Work("US_Create", Map.of("vx", Map.of("name", name, "access", "admin"))));
        var made = callers.call(new Callers.Work(
                "AK_Create", Map.of("target", Map.of("user", name), "name", name, "capabilities", List.of("*"), "toolset", List.of("all"))));
        return made.path("api_key").asString();
    }

    private static String text(int number) {
        return "The tide turns at seven, says the harbour master. ".repeat(2) + number;
    }

    /** The protocols of clients. */
    enum Way {
        BARE,
        MODERN,
        SESSION,
        REST
    }

    String address(Way way) {
        return way == Way.REST ? url + "/demo/v1/Engine/tps" : url + "/mcp";
    }

    private byte[] request(Way way, String key, String tool, String arguments) {
        var auth = "X-API-Key: " + key + "\r\n";
        var call = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":%s%s}}";
        return switch (way) {
            case BARE -> Load.request(address(way), auth, call.formatted(tool, arguments, ""));
            case MODERN -> modern(address(way), auth, tool, arguments);
            case SESSION ->
                Load.request(
                        address(way),
                        auth + "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + session + "\r\n",
                        call.formatted(tool, arguments, ""));
            case REST ->
                Load.request(
                        address(way), auth, arguments.replaceFirst("\\{", "{\"service\":\"%s\",".formatted(tool)).replace(",}", "}"));
        };
    }

    /** Returns a call as clients of the revision 2026-07-28 send it. */
    static byte[] modern(String address, String auth, String tool, String arguments) {
        var body = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\",\"arguments\":%s,\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",%s}}}";
        var headers = "Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: %s\r\n";
        return Load.request(address, auth + headers.formatted(tool), body.formatted(tool, arguments, CLIENT));
    }

    byte[] list() {
        return Load.request(
                address(Way.BARE), "X-API-Key: " + key + "\r\n", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}");
    }

    /** Returns the requests of each connection. */
    IntFunction<List<byte[]>> read(Way way, String tool) {
        var arguments = switch (tool) {
            case "AP_Read" -> "{\"target\":{\"agent\":\"Reader\"}}";
            case "DM_Read" -> "{\"target\":{\"domain\":\"Square\"}}";
            case "MB_Read" -> "{\"target\":{\"bank\":\"Read\"}}";
            default -> "{}";
        };
        return _ -> List.of(request(way, key, tool, arguments));
    }

    IntFunction<List<byte[]>> chat(int targets) {
        return connection -> IntStream.range(0, REQUESTS)
                .mapToObj(i -> request(
                        Way.BARE,
                        key,
                        "AP_Chat",
                        "{\"target\":{\"agent\":\"Target%d\"},\"content\":\"%s\"}".formatted((connection + i) % targets, text(i))))
                .toList();
    }

    /** Returns twelve requests of each connection: reads, searches and lists over all protocols, one memory and one message. */
    IntFunction<List<byte[]>> mixed() {
        var search = "{\"target\":{\"bank\":\"Read\"},\"content\":\"when does the tide turn\"}";
        return connection -> {
            var all = new ArrayList<byte[]>();
            for (var way : Way.values()) {
                all.addAll(read(way, "AP_Read").apply(connection));
            }
            all.addAll(read(Way.BARE, "DM_Read").apply(connection));
            all.addAll(store().apply(connection));
            all.add(request(Way.REST, key, "MB_Search", search));
            all.addAll(chat(TARGETS).apply(connection).subList(0, 1));
            all.addAll(read(Way.REST, "MB_Read").apply(connection));
            all.addAll(read(Way.MODERN, "DM_Read").apply(connection));
            all.addAll(read(Way.REST, "AP_List").apply(connection));
            all.add(list());
            return all;
        };
    }

    IntFunction<List<byte[]>> zone() {
        return connection -> List.of(request(
                Way.BARE,
                chatters.get(connection % CHATTERS),
                "AP_Chat",
                "{\"target\":{\"domain\":\"Square\"},\"content\":\"%s\"}".formatted(text(connection))));
    }

    IntFunction<List<byte[]>> store() {
        return connection -> List.of(request(
                Way.BARE, key, "MB_Store", "{\"target\":{\"bank\":\"Written\"},\"content\":\"%s\"}".formatted(text(connection))));
    }

    IntFunction<List<byte[]>> claim() {
        return _ -> List.of(request(Way.BARE, key, "TK_Claim", "{\"target\":{\"domain\":\"Square\"},\"next\":true}"));
    }

    /** Returns requests that create things, with names that no earlier run used. */
    IntFunction<List<byte[]>> create(String tool) {
        var target = tool.equals("DM_Create") ? "\"target\":{\"agent\":\"Founder\"}," : "";
        return _ -> different(tool, creator, "{" + target + "\"vx\":{\"name\":\"New %s\",\"description\":\"Is new.\"}}");
    }

    /** Returns requests of which each changes an agent; no two connections change the same one. */
    IntFunction<List<byte[]>> update() {
        return connection -> different(
                "AP_Update",
                key,
                "{\"target\":{\"agent\":\"Target%1$d\"},\"vx\":{\"name\":\"Target%1$d\",\"description\":\"Says ".formatted(connection) + "%s.\"}}");
    }

    private List<byte[]> different(String tool, String caller, String arguments) {
        var run = Long.toString(System.nanoTime(), 36);
        return IntStream.range(0, 2_000)
                .mapToObj(i -> request(Way.BARE, caller, tool, arguments.formatted(run + "-" + i)))
                .toList();
    }
}
