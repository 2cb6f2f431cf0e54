package io.agentworkspace.engine.model.tool;

import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The REST route of a tool. */
public record Route(String method, String path) {
    /** The generic command route; every command also has an alias below it. */
    public static final String COMMANDS = "/demo/v1/Engine/tps";

    private static final Map<String, String> FAMILIES = Map.of(
            "AP", "agent", "DM", "domain", "MB", "bank", "ZN", "zone", "US", "user", "AK", "key", "WH", "webhook", "AC",
            "account", "SK", "skill");

    /** The families whose tools have routes of their own instead of an alias. */
    private static final Set<String> OWN_ROUTES = Set.of("AK", "WH", "AC", "SK");

    /** Whether requests carry their arguments in a body rather than in the query. */
    public boolean hasBody() {
        return !method.equals("GET") && !method.equals("DELETE");
    }

    /** Whether the path has a parameter of this name: {@code {id}}. */
    public boolean hasParameter(String name) {
        return path.contains("{" + name + "}");
    }

    /** Whether a tool of this name is a command, which has an alias route. */
    static boolean isCommand(String tool) {
        var prefix = tool.substring(0, 2);
        return FAMILIES.containsKey(prefix) && !OWN_ROUTES.contains(prefix);
    }

    /** {@code AP_Create} → {@code POST /demo/v1/Engine/tps/agent/create}. */
    static Route alias(String tool) {
        var family = FAMILIES.get(tool.substring(0, 2));
        return new Route(
                "POST", "%s/%s/%s".formatted(COMMANDS, family, tool.substring(3).toLowerCase(Locale.ROOT)));
    }

    /** The family's word, e.g. {@code agent} for {@code AP_Create}. */
    static String family(String tool) {
        return FAMILIES.getOrDefault(tool.substring(0, 2), tool.substring(0, 2));
    }
}
