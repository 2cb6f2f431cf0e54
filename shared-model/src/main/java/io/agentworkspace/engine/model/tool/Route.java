package io.agentworkspace.engine.model.tool;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The REST route of a tool.
 *
 * @param parameters the path parameters with a name other than their field's, by the field's path:
 *     {@code target.bank} → {@code name}
 * @param further the routes below {@code /api} that a command has besides its alias
 */
public record Route(String method, String path, Map<String, String> parameters, List<Route> further) {
    /**
     * A file that a request may carry as it is, instead of as base64 in a field.
     *
     * @param field the field that the file replaces
     * @param passing how it gets to the tool
     */
    public record Upload(String field, String mediaType, Passing passing) {
        public boolean isStored() {
            return passing == Passing.STORED;
        }

        public boolean isPiped() {
            return passing == Passing.PIPED;
        }
    }

    /** How a file gets to its tool. */
    public enum Passing {
        /** As base64 in the field. */
        IN_FIELD,
        /** It is stored while it arrives, since it may be larger than other bodies. */
        STORED,
        /** It is worked on while it arrives. */
        PIPED
    }

    /** The generic command route; every command also has an alias below it. */
    public static final String COMMANDS = "/demo/v1/Engine/tps";

    Route(String method, String path) {
        this(method, path, Map.of());
    }

    Route(String method, String path, Map<String, String> parameters) {
        this(method, path, parameters, List.of());
    }

    /** Returns the same route, with one more. */
    Route and(Route other) {
        return new Route(
                method,
                path,
                parameters,
                Stream.concat(further.stream(), Stream.of(other)).toList());
    }

    /** Returns those of the routes that are not the alias of a command: they are like those of other tools. */
    public List<Route> own() {
        return isAlias() ? further : List.of(this);
    }

    /** Returns whether the path is that of a command, whose response is the envelope even for errors. */
    public static boolean isCommand(String path) {
        return path.equals(COMMANDS) || path.startsWith(COMMANDS + "/");
    }

    /** Returns whether the route is the alias of a command. */
    boolean isAlias() {
        return isCommand(path);
    }

    /** Returns whether requests carry their arguments in a body rather than in the query. */
    public boolean hasBody() {
        return !method.equals("GET") && !method.equals("DELETE");
    }

    /** Returns the parameter that a field would have in the path. */
    public String parameter(String field) {
        return parameters.getOrDefault(field, field);
    }

    /** Returns whether the path has a parameter for this field: {@code {id}}. */
    public boolean hasParameter(String field) {
        return !parameters.containsValue(field) && path.contains("{" + parameter(field) + "}");
    }
}
