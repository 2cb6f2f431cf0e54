package io.agentworkspace.engine.a2a.endpoint;

import io.agentworkspace.engine.a2a.cards.AgentCards;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An address of the endpoint: {@code /a2a/{agent}} with JSON-RPC, and below it the addresses of HTTP+JSON.
 *
 * @param agent as it is written, perhaps with {@code @} and the tenant; null for the engine itself
 * @param rest what follows the agent; empty for JSON-RPC
 */
record A2aAddress(@Nullable String agent, String rest) {
    static final String CARD = "/.well-known/agent-card.json";

    private static final Pattern PATH = Pattern.compile(AgentCards.PATH
            + "(?:/(?<agent>.+?))??(?<rest>/\\.well-known/agent-card\\.json|/extendedAgentCard|/message:(?:send|stream)|/tasks(?:/[^/]+"
            + "(?:/pushNotificationConfigs(?:/[^/]+)?)?)?)?/?");

    private static final Pattern TASK = Pattern.compile(
            "/tasks/(?<id>[^/:]+)(?<verb>:\\w+)?(?<configs>/pushNotificationConfigs)?(?:/(?<config>[^/]+))?");

    /** An operation of HTTP+JSON, and the parameters that its address has. */
    record Operation(String method, Map<String, String> parameters) {}

    static boolean isPath(String path) {
        return path.equals(CARD) || path.equals(AgentCards.PATH) || path.startsWith(AgentCards.PATH + "/");
    }

    static Optional<A2aAddress> parse(String path) {
        if (path.equals(CARD)) {
            return Optional.of(new A2aAddress(null, CARD));
        }
        var found = PATH.matcher(path);
        if (!found.matches()) {
            return Optional.empty();
        }
        var rest = found.group("rest");
        return Optional.of(new A2aAddress(found.group("agent"), rest == null ? "" : rest));
    }

    /** Returns the address as one of JSON-RPC: an agent's name may end like an address of HTTP+JSON. */
    A2aAddress whole() {
        return rest.isEmpty() ? this : new A2aAddress(agent == null ? rest.substring(1) : agent + rest, "");
    }

    /** Returns the operation of HTTP+JSON at this address; empty if there is none with this method. */
    Optional<Operation> operation(String method) {
        var isGet = method.equals("GET");
        return switch (rest) {
            case "/message:send" -> of(method.equals("POST"), "SendMessage");
            case "/message:stream" -> of(method.equals("POST"), "SendStreamingMessage");
            case "/extendedAgentCard" -> of(isGet, "GetExtendedAgentCard");
            case "/tasks" -> of(isGet, "ListTasks");
            default -> ofTask(method);
        };
    }

    private static Optional<Operation> of(boolean isRight, String operation) {
        return isRight ? Optional.of(new Operation(operation, Map.of())) : Optional.empty();
    }

    private Optional<Operation> ofTask(String method) {
        var found = TASK.matcher(rest);
        if (!found.matches()) {
            return Optional.empty();
        }
        var id = found.group("id");
        var verb = found.group("verb");
        var config = found.group("config");
        if (found.group("configs") == null) {
            var operation = (verb == null ? "" : verb) + " " + method;
            return switch (operation) {
                case " GET" -> Optional.of(new Operation("GetTask", Map.of("id", id)));
                case ":cancel POST" -> Optional.of(new Operation("CancelTask", Map.of("id", id)));
                case ":subscribe POST", ":subscribe GET" ->
                    Optional.of(new Operation("SubscribeToTask", Map.of("id", id)));
                default -> Optional.empty();
            };
        }
        var parameters = config == null ? Map.of("taskId", id) : Map.of("taskId", id, "id", config);
        return switch ((config == null ? "" : "one ") + method) {
            case "POST" -> Optional.of(new Operation("CreateTaskPushNotificationConfig", parameters));
            case "GET" -> Optional.of(new Operation("ListTaskPushNotificationConfigs", parameters));
            case "one GET" -> Optional.of(new Operation("GetTaskPushNotificationConfig", parameters));
            case "one DELETE" -> Optional.of(new Operation("DeleteTaskPushNotificationConfig", parameters));
            default -> Optional.empty();
        };
    }
}
