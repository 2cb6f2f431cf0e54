package io.agentworkspace.engine.model.tool;

/** The REST route of a tool. */
public record Route(String method, String path) {
    /** The generic command route; every command also has an alias below it. */
    public static final String COMMANDS = "/demo/v1/Engine/tps";

    /** Whether requests carry their arguments in a body rather than in the query. */
    public boolean hasBody() {
        return !method.equals("GET") && !method.equals("DELETE");
    }

    /** Whether the path has a parameter of this name: {@code {id}}. */
    public boolean hasParameter(String name) {
        return path.contains("{" + name + "}");
    }
}
