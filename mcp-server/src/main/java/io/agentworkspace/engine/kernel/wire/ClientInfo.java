package io.agentworkspace.engine.kernel.wire;

import io.agentworkspace.engine.model.text.Excerpt;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What a client declared about itself: its protocol revision and capabilities.
 *
 * @param extensions the identifiers of the extensions that it declared
 */
public record ClientInfo(ProtocolRevision revision, Set<Ability> abilities, Set<String> extensions) {
    /** The identifier of the tasks extension. */
    public static final String TASKS = "io.modelcontextprotocol/tasks";

    /** The identifier of the extension of clients that show the pages of apps. */
    public static final String APPS = "io.modelcontextprotocol/ui";

    /** Bounds the client's name, since streams keep it. */
    private static final int LONGEST_NAME = 400;

    private static final int MOST_EXTENSIONS = 50;
    private static final int LONGEST_EXTENSION = 200;

    /** The requests that a server may send to a client while it serves one. */
    public enum Ability {
        ELICITATION,
        SAMPLING,
        ROOTS,
        /** Elicitation by a link that the client opens for its person. */
        LINKS;

        /** Returns what servers may ask for, besides that a person opens a link. */
        public static List<Ability> ofServers() {
            return List.of(ELICITATION, SAMPLING, ROOTS);
        }

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        /** Returns the ability that a request to the client needs. */
        public static Ability of(ObjectNode request) {
            var method = request.path("method").asString("");
            return switch (method) {
                case "elicitation/create" ->
                    request.at("/params/mode").asString("").equals("url") ? LINKS : ELICITATION;
                case "sampling/createMessage" -> SAMPLING;
                case "roots/list" -> ROOTS;
                default -> throw new IllegalArgumentException("clients are never asked for " + method);
            };
        }
    }

    public ClientInfo {
        abilities = Set.copyOf(abilities);
        extensions = Set.copyOf(extensions);
    }

    /** Reads the {@code ClientCapabilities} that the client sent. */
    public static ClientInfo of(ProtocolRevision revision, ObjectNode capabilities) {
        var abilities = EnumSet.noneOf(Ability.class);
        for (var ability : Ability.ofServers()) {
            var declared = capabilities.path(ability.word());
            if (declared.isObject() && isKnown(ability, revision) && isForm(ability, declared)) {
                abilities.add(ability);
            }
        }
        if (isNew(revision) && capabilities.at("/elicitation/url").isObject()) {
            abilities.add(Ability.LINKS);
        }
        var extensions = capabilities.path("extensions").propertyNames().stream()
                .filter(name -> name.length() <= LONGEST_EXTENSION)
                .limit(MOST_EXTENSIONS)
                .collect(Collectors.toSet());
        return new ClientInfo(revision, abilities, extensions);
    }

    /** Returns whether a revision has elicitation by links. */
    private static boolean isNew(ProtocolRevision revision) {
        return revision == ProtocolRevision.NOVEMBER_2025 || revision == ProtocolRevision.MODERN;
    }

    private static boolean isKnown(Ability ability, ProtocolRevision revision) {
        return ability != Ability.ELICITATION || revision != ProtocolRevision.MARCH_2025;
    }

    /**
     * Returns whether the client can be asked in this way by a form: one that declares no mode of elicitation accepts
     * forms.
     */
    private static boolean isForm(Ability ability, JsonNode declared) {
        return ability != Ability.ELICITATION || declared.isEmpty() || declared.has("form") || !declared.has("url");
    }

    /** Returns the name and version in {@code clientInfo}; null if there is no name. */
    static @Nullable public String name(@Nullable JsonNode info) {
        if (info == null) {
            return null;
        }
        var name = info.path("name").asString("").strip();
        var version = info.path("version").asString("").strip();
        return name.isEmpty() ? null : Excerpt.cut((name + " " + version).strip(), LONGEST_NAME);
    }

    /** Returns a client of which nothing is known. */
    public static ClientInfo unknown() {
        return new ClientInfo(ProtocolRevision.JUNE_2025, Set.of(), Set.of());
    }

    /** Returns whether a call may be answered with a task. */
    public boolean takesTasks() {
        return revision.isStateless() && extensions.contains(ClientInfo.TASKS);
    }

    /** Returns whether it shows the pages of apps, and hides from its model the tools that only those call. */
    public boolean showsApps() {
        return extensions.contains(APPS);
    }

    public boolean can(Ability ability) {
        return abilities.contains(ability);
    }
}
