package io.agentworkspace.engine.a2a.cards;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.mcp.PublicAddresses;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes agent cards: of the engine, and of its agents. Each is signed over its canonical form (RFC 8785), so it contains no numbers, and no
 * control characters.
 */
public final class AgentCards {
    /** The path of the endpoint. */
    public static final String PATH = "/a2a";

    private static final String ENGINE = "Agent Workspace Engine";
    private static final List<String> MODES = List.of("text/plain", "application/json");
    private static final String CONTROL = "[\\p{Cntrl}&&[^\\n\\t]]";

    private final PublicAddresses published;
    private final Function<byte[], ObjectNode> signer;
    private final boolean isBuiltin;
    private final CardQueries queries;

    /** @param isBuiltin whether this server issues OAuth tokens */
    public AgentCards(PublicAddresses published, Function<byte[], ObjectNode> signer, boolean isBuiltin, Db db) {
        this.published = published;
        this.signer = signer;
        this.isBuiltin = isBuiltin;
        this.queries = new CardQueries(db);
    }

    /** Returns the agent that strangers may see by this name; empty if there is none. */
    public Optional<ObjectNode> findPublic(String tenant, String agent) {
        return queries.find(tenant, agent);
    }

    /** Returns the card of the engine, which tells who asks which agents there are. */
    public ObjectNode engine(Stream<JsonNode> agents) {
        var card = card(
                ENGINE,
                "A workspace of agents. Its answer to a message is the list of the agents that you may talk to, with"
                        + " their addresses.",
                PATH,
                published.version());
        var skills = card.putArray("skills");
        skills.add(skill(
                "find-agents", "Find agents", "Lists your agents, or those whose names begin with your message."));
        agents.forEach(agent -> skills.add(skill(
                        "agent/" + agent.path("name").asString(""),
                        agent.path("name").asString(""),
                        agent.path("description").asString(""))
                .put("description", described(agent))));
        return signed(card);
    }

    private String described(JsonNode agent) {
        var text = plain(agent.path("description").asString(""));
        return "%s%sIts card: %s"
                .formatted(
                        text,
                        text.isEmpty() ? "" : "\n",
                        cardAddress(agent.path("name").asString("")));
    }

    /**
     * Returns the card of an agent.
     *
     * @param address the agent in the address
     * @param extended whether it shows more than the public card
     */
    public ObjectNode agent(JsonNode agent, String address, boolean extended) {
        var name = agent.path("name").asString("");
        var said = agent.path("description").asString("");
        var description = said.isBlank() ? "The agent %s answers messages.".formatted(name) : said;
        var card = card(
                name, description, path(address), "1." + agent.path("revision").asLong(1));
        var skills = card.putArray("skills");
        skills.add(skill("talk", name, description));
        if (extended) {
            agent.path("skills")
                    .forEach(each -> skills.add(skill(
                            "skill/" + each.asString(),
                            each.asString(),
                            "The skill " + each.asString() + " is installed.")));
        }
        return signed(card);
    }

    public String cardAddress(String agent) {
        return published.baseUrl() + path(agent) + "/.well-known/agent-card.json";
    }

    private static String path(String agent) {
        return PATH
                + Stream.of(agent.split("/"))
                        .map(part -> "/"
                                + URLEncoder.encode(part, StandardCharsets.UTF_8)
                                        .replace("+", "%20")
                                        .replace("%40", "@"))
                        .collect(Collectors.joining());
    }

    private ObjectNode card(String name, String description, String path, String version) {
        var url = published.baseUrl() + path;
        var card = Json.object().put("name", plain(name)).put("description", plain(description));
        var interfaces = card.putArray("supportedInterfaces");
        for (var binding : List.of("JSONRPC", "HTTP+JSON")) {
            interfaces
                    .addObject()
                    .put("url", url)
                    .put("protocolBinding", binding)
                    .put("protocolVersion", "1.0");
        }
        card.putObject("provider").put("url", published.baseUrl()).put("organization", ENGINE);
        card.put("version", version);
        card.putObject("capabilities")
                .put("streaming", true)
                .put("pushNotifications", !path.equals(PATH))
                .put("extendedAgentCard", true);
        addSecurity(card);
        MODES.forEach(card.putArray("defaultInputModes")::add);
        MODES.forEach(card.putArray("defaultOutputModes")::add);
        return card;
    }

    private void addSecurity(ObjectNode card) {
        var schemes = card.putObject("securitySchemes");
        schemes.putObject("bearer")
                .putObject("httpAuthSecurityScheme")
                .put("scheme", "Bearer")
                .put("description", "An API key of the engine, or an access token.");
        schemes.putObject("key")
                .putObject("apiKeySecurityScheme")
                .put("location", "header")
                .put("name", "X-Api-Key")
                .put("description", "An API key of the engine.");
        if (isBuiltin) {
            var oauth = schemes.putObject("oauth").putObject("oauth2SecurityScheme");
            var base = published.baseUrl();
            oauth.put("oauth2MetadataUrl", base + "/.well-known/oauth-authorization-server");
            oauth.putObject("flows")
                    .putObject("authorizationCode")
                    .put("authorizationUrl", base + "/oauth/authorize")
                    .put("tokenUrl", base + "/oauth/token")
                    .put("refreshUrl", base + "/oauth/token")
                    .put("pkceRequired", true)
                    .putObject("scopes")
                    .put("agent:read", "Read tasks")
                    .put("agent:write", "Send messages");
        }
        var requirements = card.putArray("securityRequirements");
        for (var name : schemes.propertyNames()) {
            // Not empty: the official client leaves out what is empty when it verifies a signature.
            var scopes = requirements
                    .addObject()
                    .putObject("schemes")
                    .putObject(name)
                    .putArray("list");
            scopes.add("agent:read").add("agent:write");
        }
    }

    private static ObjectNode skill(String id, String name, String description) {
        var skill = Json.object().put("id", plain(id)).put("name", plain(name)).put("description", plain(description));
        skill.putArray("tags").add("agent");
        return skill;
    }

    private static String plain(String text) {
        return text.replaceAll(CONTROL, "");
    }

    private ObjectNode signed(ObjectNode card) {
        var signature = signer.apply(Json.canonical(card).getBytes(StandardCharsets.UTF_8));
        card.putArray("signatures").add(signature);
        return card;
    }
}
