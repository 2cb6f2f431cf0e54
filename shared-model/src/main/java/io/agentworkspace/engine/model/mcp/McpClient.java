package io.agentworkspace.engine.model.mcp;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The MCP clients for which the service has a ready configuration. */
public enum McpClient {
    GENERIC("generic", "Any other client", McpClient::generic),
    CLAUDE_CODE("claude-code", "Claude Code", McpClient::claudeCode, "claude-code", "claude code"),
    CLAUDE_DESKTOP(
            "claude-desktop",
            "Claude Desktop",
            McpClient::claudeDesktop,
            "claude-ai",
            "claude-desktop",
            "claude desktop",
            "mcp-remote"),
    CURSOR("cursor", "Cursor", McpClient::cursor, "cursor"),
    VSCODE("vscode", "VS Code", McpClient::vscode, "visual studio code", "visual-studio-code", "vscode");

    private static final String SERVER = "agent-workspace";
    private static final String KEY = "X-Api-Key";
    private static final String PLACEHOLDER = "<YOUR_API_KEY>";
    private static final String VARIABLE = "${ENGINE_KEY}";

    private final String word;
    private final String title;
    private final BiFunction<McpClient, McpAddress, ClientConfiguration> configuration;
    private final List<String> names;

    McpClient(
            String word,
            String title,
            BiFunction<McpClient, McpAddress, ClientConfiguration> configuration,
            String... names) {
        this.word = word;
        this.title = title;
        this.configuration = configuration;
        this.names = List.of(names);
    }

    /** Returns the client's name in URLs. */
    public String word() {
        return word;
    }

    public String title() {
        return title;
    }

    public ClientConfiguration configuration(McpAddress address) {
        return configuration.apply(this, address);
    }

    public static List<String> words() {
        return Arrays.stream(values()).map(McpClient::word).toList();
    }

    /** @throws Problem {@code not_found}, with the known names */
    public static McpClient read(String word) {
        return Arrays.stream(values())
                .filter(client -> client.word.equals(word))
                .findFirst()
                .orElseThrow(() -> new Problem(
                        Failure.NOT_FOUND,
                        "there is no configuration for the client '%s'; there are %s"
                                .formatted(Name.shortened(word), String.join(", ", words()))));
    }

    /** Returns the client whose name is in this {@code clientInfo} or {@code User-Agent}. */
    public static Optional<McpClient> named(@Nullable String said) {
        var lower = said == null ? "" : said.toLowerCase(Locale.ROOT);
        return Arrays.stream(values())
                .filter(client -> client.names.stream().anyMatch(lower::contains))
                .findFirst();
    }

    /** Follows the service contract ("Tool protocol (MCP) transport"). */
    private ClientConfiguration generic(McpAddress address) {
        var server = Json.object().put("name", SERVER).put("transport", "http").put("url", address.url());
        server.set("headers", headers(address, "X-API-Key", PLACEHOLDER));
        return new ClientConfiguration(
                word,
                title,
                "wherever your client keeps the servers that it knows",
                "json",
                server,
                null,
                null,
                List.of(
                        "Add a server of the kind HTTP (also called Streamable HTTP) with this address and these headers.",
                        "Put your API key in place of " + PLACEHOLDER + ", and keep the file to yourself."),
                "The client lists the tools, US_Read among them.");
    }

    /**
     * Builds the configuration of Claude Code: see code.claude.com/docs/en/mcp. In single quotes, Claude Code inserts
     * the key, not the shell.
     */
    private ClientConfiguration claudeCode(McpAddress address) {
        var server = Json.object().put("type", "http").put("url", address.url());
        server.set("headers", headers(address, KEY, VARIABLE));
        // The option takes several values: if it came before the name, it would take the name as one of them.
        var command = new StringBuilder("claude mcp add --transport http %s %s".formatted(SERVER, address.url()));
        address.headers(KEY, VARIABLE)
                .forEach((name, value) -> command.append(" \\\n  --header '%s: %s'".formatted(name, value)));
        return new ClientConfiguration(
                word,
                title,
                ".mcp.json in the project's folder",
                "json",
                within("mcpServers", server),
                null,
                command.toString(),
                List.of(
                        "Set the environment variable ENGINE_KEY to your API key where Claude Code is started.",
                        "Run the command, or save the configuration as .mcp.json: both name the variable, neither holds the key.",
                        "Restart Claude Code. It asks once before it uses a server of .mcp.json."),
                "claude mcp list says that %s is connected; in a session /mcp shows its tools.".formatted(SERVER));
    }

    /**
     * Builds the configuration of Claude Desktop: see npmjs.com/package/mcp-remote. There is no space after the
     * colon, since Claude Desktop on Windows cannot handle one.
     */
    private ClientConfiguration claudeDesktop(McpAddress address) {
        var server = Json.object().put("command", "npx");
        var arguments = server.putArray("args").add("-y").add("mcp-remote").add(address.url());
        arguments.add("--transport").add("http-only");
        address.headers(KEY, VARIABLE)
                .forEach((name, value) -> arguments.add("--header").add(name + ":" + value));
        if (address.isPlain()) {
            arguments.add("--allow-http");
        }
        server.putObject("env").put("ENGINE_KEY", PLACEHOLDER);
        return new ClientConfiguration(
                word,
                title,
                "claude_desktop_config.json (Settings, Developer, Edit Config)",
                "json",
                within("mcpServers", server),
                null,
                null,
                List.of(
                        "Install Node.js 20 or newer: with it Claude Desktop starts mcp-remote, which speaks to this service.",
                        "Open Settings, Developer, Edit Config, and add the configuration to the file.",
                        "Put your API key in place of " + PLACEHOLDER + ", and keep the file to yourself.",
                        "Quit Claude Desktop and start it again.",
                        "Its own connectors (Settings, Connectors) send no API key: they need OAuth, and an https address that"
                                + " the internet can reach."),
                "Settings, Developer says that %s is running, and its tools are in the list of tools of a chat."
                        .formatted(SERVER));
    }

    /** Builds the configuration of Cursor: see cursor.com/docs/mcp, "Config interpolation" and install links. */
    private ClientConfiguration cursor(McpAddress address) {
        var server = Json.object().put("url", address.url());
        server.set("headers", headers(address, KEY, "${env:ENGINE_KEY}"));
        var base64 = Base64.getEncoder().encodeToString(Json.bytes(server));
        return new ClientConfiguration(
                word,
                title,
                "~/.cursor/mcp.json, or .cursor/mcp.json in a project",
                "json",
                within("mcpServers", server),
                "cursor://anysphere.cursor-deeplink/mcp/install?name=%s&config=%s".formatted(SERVER, encoded(base64)),
                null,
                List.of(
                        "Set the environment variable ENGINE_KEY to your API key where you start Cursor, and restart it.",
                        "Open the install link and confirm, or add the configuration to the file."),
                "Cursor's settings for MCP show %s as connected, with its tools.".formatted(SERVER));
    }

    /**
     * Builds the configuration of VS Code: see code.visualstudio.com/docs/copilot/reference/mcp-configuration. The
     * link's object has inputs too.
     */
    private ClientConfiguration vscode(McpAddress address) {
        var server = Json.object().put("type", "http").put("url", address.url());
        server.set("headers", headers(address, KEY, "${input:engine-key}"));
        var file = Json.object();
        file.putArray("inputs")
                .addObject()
                .put("type", "promptString")
                .put("id", "engine-key")
                .put("description", "API key of the Agent Workspace Engine")
                .put("password", true);
        file.putObject("servers").set(SERVER, server);
        var link = Json.object().put("name", SERVER);
        link.setAll(server);
        link.set("inputs", file.get("inputs"));
        return new ClientConfiguration(
                word,
                title,
                ".vscode/mcp.json in a workspace, or your own mcp.json (MCP: Open User Configuration)",
                "json",
                file,
                "vscode:mcp/install?" + encoded(Json.text(link)),
                null,
                List.of(
                        "Open the install link and choose Install, or save the configuration in the file.",
                        "Start the server (MCP: List Servers). VS Code asks for your API key, and keeps it for you."),
                "MCP: List Servers says that %s is running; its tools are there in agent mode.".formatted(SERVER));
    }

    private static ObjectNode headers(McpAddress address, String keyHeader, String key) {
        var headers = Json.object();
        address.headers(keyHeader, key).forEach(headers::put);
        return headers;
    }

    private static ObjectNode within(String servers, ObjectNode server) {
        var file = Json.object();
        file.putObject(servers).set(SERVER, server);
        return file;
    }

    /** Encodes like {@code encodeURIComponent}, which does not encode spaces as plus signs. */
    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
