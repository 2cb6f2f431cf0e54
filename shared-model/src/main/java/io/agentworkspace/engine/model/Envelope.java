package io.agentworkspace.engine.model;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** The answer that every tool gives: header, status, and the tool's own fields beside them (contract, "Command response"). */
public final class Envelope {
    /** The published contract version. */
    public static final String CONTRACT_VERSION = "2026-05-25";

    private Envelope() {}

    public static ObjectNode success(Call call, Object output) {
        return success(header(call.service(), call.requestId(), call.now(), told(call.context())), output);
    }

    /** What somebody without a credential is told. */
    public static ObjectNode success(String service, String requestId, Instant now, Object output) {
        return success(header(service, requestId, now, Asked.BY_NOBODY.told()), output);
    }

    private static ObjectNode success(ObjectNode header, Object output) {
        var envelope = Json.object();
        envelope.set("header", header);
        envelope.putObject("status")
                .put("success", true)
                .put("internal_code", 0)
                .put("http_code", 200);
        envelope.setAll(Json.tree(output));
        return envelope;
    }

    /** Sets what the caller has left: nothing where nothing is limited. */
    static void tell(ObjectNode envelope, List<Allowance> left) {
        if (envelope.get("header") instanceof ObjectNode header) {
            tellIn(header, left);
        }
    }

    /** The same in another object: as its {@code limits}. */
    public static void tellIn(ObjectNode holder, List<Allowance> left) {
        if (left.isEmpty()) {
            return;
        }
        var limits = holder.putArray("limits");
        for (var allowance : left) {
            var limit = limits.addObject()
                    .put("scope", allowance.scope())
                    .put("limit", allowance.limit())
                    .put("remaining", allowance.remaining());
            if (allowance.windowSeconds() != null) {
                limit.put("window_seconds", allowance.windowSeconds());
            }
            if (allowance.resetSeconds() != null) {
                limit.put("reset_seconds", allowance.resetSeconds());
            }
        }
    }

    /** The answer as it is kept for replays: what is told only once is not in it, and it says so. */
    public static ObjectNode kept(ObjectNode answer, List<String> toldOnce) {
        var told = toldOnce.stream()
                .filter(field -> answer.findValue(field) != null)
                .toList();
        if (told.isEmpty()) {
            return answer;
        }
        var kept = answer.deepCopy();
        told.forEach(field -> kept.findParents(field).forEach(holder -> ((ObjectNode) holder).remove(field)));
        ((ObjectNode) kept.get("status"))
                .put(
                        "note",
                        "%s was told in the first answer only and is kept nowhere".formatted(String.join(", ", told)));
        return kept;
    }

    public static ObjectNode failure(Call call, Problem problem) {
        var context = call.contextIfKnown();
        var user = call.actingFor() == null
                ? call.caller().userName()
                : call.actingFor().text();
        var told = context == null ? new Asked(call.contextName(), user).told() : told(context);
        return failure(header(call.service(), call.requestId(), call.now(), told), problem);
    }

    /** For a request that was refused before it became a call. */
    public static ObjectNode failure(
            @Nullable String service, String requestId, Instant now, Asked asked, Problem problem) {
        return failure(header(service, requestId, now, asked.told()), problem);
    }

    /**
     * What a request says of its context, which nobody has looked at.
     *
     * @param context its name
     * @param user whom it is asked for, else who asks; null where that is not known
     */
    public record Asked(String context, @Nullable String user) {
        /** By somebody without a credential, or before it was looked at. */
        public static final Asked BY_NOBODY = new Asked(Context.DEFAULT, null);

        public static Asked by(@Nullable Caller caller) {
            return caller == null ? BY_NOBODY : new Asked(Context.DEFAULT, caller.userName());
        }

        /** By this caller with these arguments, whether they are right or not. */
        public static Asked by(Caller caller, ObjectNode arguments) {
            return new Asked(
                    name(arguments, "/target/context").orElse(Context.DEFAULT),
                    name(arguments, "/target/user").orElse(caller.userName()));
        }

        private static Optional<String> name(ObjectNode arguments, String place) {
            var name = arguments.at(place).asString("").strip();
            return name.isEmpty() || name.codePointCount(0, name.length()) > Name.MAX || !Schema.isStorable(name)
                    ? Optional.empty()
                    : Optional.of(name);
        }

        private Told told() {
            var told = Json.object().put("name", context);
            return new Told(user == null ? told : told.put("user", user), 0);
        }
    }

    /** What the header tells of a context. */
    private record Told(ObjectNode context, long unread) {}

    private static Told told(Context context) {
        var told = Json.object()
                .put("name", context.name())
                .put("user", context.user().name());
        put(told, "agent", context.agent());
        put(told, "self", context.self());
        put(told, "domain", context.domain());
        put(told, "zone", context.zone());
        return new Told(told, context.unread());
    }

    private static ObjectNode failure(ObjectNode header, Problem problem) {
        var failure = problem.failure();
        var envelope = Json.object();
        envelope.set("header", header);
        envelope.putObject("status")
                .put("success", false)
                .put("note", problem.note())
                .put("internal_code", failure.code())
                .put("http_code", failure.commandStatus())
                .put("error", failure.commandError());
        return envelope;
    }

    private static ObjectNode header(@Nullable String service, String requestId, Instant now, Told told) {
        var header = Json.object();
        if (service != null) {
            header.put("service", service);
        }
        header.put("request_id", requestId).put("contract_version", CONTRACT_VERSION);
        header.set("time", Json.valueTree(now));
        header.set("context", told.context());
        return header.put("unread", told.unread());
    }

    private static void put(ObjectNode node, String field, Context.@Nullable Ref ref) {
        if (ref != null) {
            node.put(field, ref.name());
        }
    }

    private record Fields(
            @Doc("Who asked, when, in which context; present on every answer.")
            Header header,

            @Doc("Whether it was done, and if not, why not.")
            Status status) {}

    private record Header(
            @Doc("The service that ran.") @Nullable String service,

            @Doc("Names this request in logs; the same as the header X-Request-Id.")
            String requestId,

            @Doc("The version of the contract.") String contractVersion,
            @Doc("When it ran.") Instant time,

            @Doc(
                    "The context that the command ran in, after it; of what was refused before it was read, only its name and user.")
            HeaderContext context,

            @Doc("Messages waiting for self; 0 where the context was not read.")
            long unread,

            @Doc(
                    "What you have left of what is limited, as the headers RateLimit-Policy and RateLimit say it too; absent"
                            + " where nothing is.")
            @Nullable
            List<Allowance> limits) {}

    private record HeaderContext(
            @Doc("The context's name.") String name,
            @Doc("The user acted for.") @Nullable String user,
            @Doc("The selected agent.") @Nullable String agent,
            @Doc("The agent logged on as.") @Nullable String self,
            @Doc("The entered domain.") @Nullable String domain,
            @Doc("The entered zone.") @Nullable String zone) {}

    private record Status(
            @Doc("true when it was done.") boolean success,

            @Doc("On error: what was wrong, and what would be right. On a replay: what it leaves out.") @Nullable
            String note,

            @Doc("0 when done, else the code of the error.") int internalCode,

            @Doc("The HTTP status; over MCP 200 for all that was done.")
            int httpCode,

            @Doc("On error: its symbolic name.") @Nullable String error) {}

    /** The schema of what every answer has: header and status, with the names of their types. */
    public static ObjectNode schema() {
        return Schema.of(Fields.class).typed();
    }

    /**
     * The schema of a tool's whole answer. Only header and status are required: an error has nothing else. Of these two it says
     * no more than what a model decides by, which would read the rest once for each tool; {@link #schema()} has all of it.
     */
    static ObjectNode schema(Class<? extends Record> output) {
        var schema = Json.object().put("type", "object");
        var properties = schema.putObject("properties");
        properties.putObject("header").put("type", "object");
        var status = properties.putObject("status").put("type", "object");
        var told = status.putObject("properties");
        told.putObject("success").put("type", "boolean");
        told.putObject("note").put("type", "string");
        status.putArray("required").add("success");
        properties.setAll((ObjectNode) Schema.of(output).json().get("properties"));
        schema.putArray("required").add("header").add("status");
        for (var bound : List.of("maxLength", "minimum")) {
            schema.findParents(bound).forEach(value -> ((ObjectNode) value).remove(bound));
        }
        return schema;
    }
}
