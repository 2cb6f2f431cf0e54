package io.agentworkspace.engine.model.tool;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.schema.Schema;
import io.agentworkspace.engine.model.schema.Shape;
import io.agentworkspace.engine.model.text.Excerpt;
import java.lang.reflect.RecordComponent;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The response of every tool: header, status, and the tool's own fields beside them (contract, "Command response"). */
public final class Envelope {
    /** The published version of the contract. */
    public static final String CONTRACT_VERSION = "2026-05-25";

    private Envelope() {}

    public static ObjectNode success(Call call, Object output) {
        return success(header(call.service(), call.requestId(), call.now(), call.context()), output);
    }

    /** Returns the response for a caller without a credential. */
    public static ObjectNode success(String service, String requestId, Instant now, Object output) {
        return success(header(service, requestId, now, null), output);
    }

    private static ObjectNode success(ObjectNode header, Object output) {
        var envelope = Json.object();
        envelope.set("header", header);
        succeed(envelope);
        envelope.setAll(Json.tree(output));
        return envelope;
    }

    /** Sets what the caller has left. Does nothing if nothing is limited. */
    static void withLimits(ObjectNode envelope, List<Allowance> left) {
        if (envelope.get("header") instanceof ObjectNode header) {
            putLimits(header, left);
        }
    }

    /** Sets what the caller has left in another object, as its {@code limits}. */
    public static void putLimits(ObjectNode holder, List<Allowance> left) {
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

    /** How many characters of a long text are in the response to a write. */
    public static final int CUT = 500;

    /** Returns whether the response of AP_Ask has an open question to the caller's own user. */
    public static boolean asksPerson(ObjectNode envelope, Caller caller) {
        return envelope.at("/question/state").asString("").equals("open")
                && envelope.at("/content/0/to_kind").asString("").equals("user")
                && caller.isNamed(envelope.at("/content/0/to").asString(""));
    }

    /** The fields of records with long texts, each with the field for the length of a cut text. */
    private static final Map<String, String> LONG = new LinkedHashMap<>();

    static {
        LONG.put("text", "length");
        LONG.put("content", "length");
        LONG.put("description", "length");
        LONG.put("profile", "profile_length");
    }

    /** Cuts the long texts in the response to a write. The caller has them already, or can read them. */
    public static void cutTexts(JsonNode answer) {
        if (answer instanceof ObjectNode record) {
            LONG.forEach((field, length) -> cut(record, field, length));
        }
        answer.forEach(Envelope::cutTexts);
    }

    private static void cut(ObjectNode record, String field, String length) {
        var text = record.path(field);
        var head = text.isString() ? Excerpt.cut(text.asString(), CUT) : "";
        if (text.isString() && head.length() < text.asString().length()) {
            var whole = text.asString();
            record.put(field, head).put("truncated", true).put(length, whole.codePointCount(0, whole.length()));
        }
    }

    /**
     * Returns the response as stored for replays: without the fields that are shown only once, and with a note about
     * that.
     */
    public static ObjectNode kept(ObjectNode answer, List<String> secretFields) {
        var secrets = secretFields.stream()
                .filter(field -> answer.findValue(field) != null)
                .toList();
        if (secrets.isEmpty()) {
            return answer;
        }
        var kept = answer.deepCopy();
        secrets.forEach(field -> kept.findParents(field).forEach(holder -> ((ObjectNode) holder).remove(field)));
        ((ObjectNode) kept.get("status"))
                .put(
                        "note",
                        "%s was told in the first answer only and is kept nowhere"
                                .formatted(String.join(", ", secrets)));
        return kept;
    }

    /** The field that marks a stored reference to a long response. It replaces the status. */
    private static final String REFERENCE = "reference";

    /**
     * Returns what is stored of a response that is too long to store: its header, and what identifies the changed
     * things.
     */
    public static ObjectNode reference(ObjectNode answer) {
        var reference = Json.object();
        reference.set("header", answer.get("header"));
        var kept = reference.putObject(REFERENCE);
        answer.properties().stream()
                .filter(field -> !List.of("header", "status").contains(field.getKey()))
                .forEach(field -> named(field.getValue()).ifPresent(value -> kept.set(field.getKey(), value)));
        return reference;
    }

    /** Returns a short value unchanged, a record's identifying fields, or the first element of a list. */
    private static Optional<JsonNode> named(JsonNode value) {
        if (value instanceof ObjectNode record) {
            var names = Json.object();
            List.of("id", "name", "bank", "revision").forEach(field -> {
                if (record.path(field).isValueNode()) {
                    names.set(field, record.get(field));
                }
            });
            return names.isEmpty() ? Optional.empty() : Optional.of(names);
        } else if (value.isArray()) {
            return value.isEmpty()
                    ? Optional.empty()
                    : named(value.get(0)).map(first -> Json.valueTree(List.of(first)));
        }
        return value.isString() && value.asString().length() > Name.MAX ? Optional.empty() : Optional.of(value);
    }

    /** Returns the stored part of a response that was too long to store whole; empty if it was stored whole. */
    public static Optional<ObjectNode> referred(ObjectNode stored) {
        return Optional.ofNullable((ObjectNode) stored.get(REFERENCE));
    }

    /**
     * Returns the replay of a response that was not stored whole, marked as such. It has what the tool shows now, or
     * only what was stored.
     */
    public static ObjectNode rebuilt(ObjectNode stored, @Nullable ObjectNode now) {
        var note = now == null
                ? "it was done; the first answer was too long to keep, and this is what it changed: read that for the rest"
                : "it was done; the first answer was too long to keep, and this is what it changed as it is now";
        var envelope = now;
        if (envelope == null) {
            envelope = Json.object();
            envelope.set("header", stored.get("header"));
            succeed(envelope);
            envelope.setAll((ObjectNode) stored.get(REFERENCE));
        }
        ((ObjectNode) envelope.get("status")).put("note", note).put("rebuilt", true);
        return envelope;
    }

    private static void succeed(ObjectNode envelope) {
        envelope.putObject("status")
                .put("success", true)
                .put("internal_code", 0)
                .put("http_code", 200);
    }

    /**
     * Returns the response to a refused call. It shows the context as read, since a refused call does not change it,
     * or none if it was not read.
     */
    public static ObjectNode failure(Call call, Problem problem) {
        var context = call.contextIfKnown() == null ? null : call.loadedContext();
        return failure(header(call.service(), call.requestId(), call.now(), context), problem);
    }

    /** Returns the response to a request that was refused before it became a call. */
    public static ObjectNode failure(@Nullable String service, String requestId, Instant now, Problem problem) {
        return failure(header(service, requestId, now, null), problem);
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
        problem.beside().forEach((field, value) -> envelope.set(field, Json.valueTree(value)));
        return envelope;
    }

    private static ObjectNode header(
            @Nullable String service, String requestId, Instant now, @Nullable Context context) {
        var header = Json.object();
        if (service != null) {
            header.put("service", service);
        }
        header.put("request_id", requestId).put("contract_version", CONTRACT_VERSION);
        header.set("time", Json.valueTree(now));
        if (context != null) {
            header.set("context", json(context));
            header.put("unread", context.unread());
        }
        return header;
    }

    /** Sets the time of the response. */
    public static void time(ObjectNode envelope, Instant now) {
        if (envelope.get("header") instanceof ObjectNode header) {
            header.set("time", Json.valueTree(now));
        }
    }

    /** Sets how many messages wait for the speaker. */
    public static void unread(ObjectNode envelope, long unread) {
        if (envelope.get("header") instanceof ObjectNode header && header.has("unread")) {
            header.put("unread", unread);
        }
    }

    private static ObjectNode json(Context context) {
        var json = Json.object()
                .put("name", context.name())
                .put("user", context.user().name());
        put(json, "agent", context.agent());
        put(json, "self", context.self());
        put(json, "domain", context.domain());
        put(json, "zone", context.zone());
        return json;
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
                    "The context that the command ran in, after it; absent where the request was refused before it was read.")
            @Nullable
            HeaderContext context,

            @Doc(
                    "Fields of the request that this command does not have and that were ignored, at most 20; absent where there are"
                            + " none. Only on command routes: elsewhere such fields are refused.")
            @Nullable
            List<String> ignored,

            @Doc("Messages waiting for self, else for the user; absent where context is.") @Nullable
            Long unread,

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

            @Doc("On error: its symbolic name.") @Nullable String error,

            @Doc("true on a replay whose first answer was too long to keep: it shows what was changed as it is now.")
            @Nullable
            Boolean rebuilt) {}

    /** Returns the schema of the common part of every response: header and status, with the names of their types. */
    public static ObjectNode schema() {
        return Schema.of(Fields.class).typed();
    }

    /**
     * Returns the schema of a tool's response without the header. Only status is required: an error has nothing else.
     * It contains only those of its fields that a model decides by; {@link #schema()} has all of them, and the
     * header.
     */
    static ObjectNode schema(Class<? extends Record> output) {
        var schema = Json.object().put("type", "object");
        var properties = schema.putObject("properties");
        var status = properties.putObject("status").put("type", "object");
        var fields = status.putObject("properties");
        fields.putObject("success").put("type", "boolean");
        fields.putObject("note").put("type", "string");
        status.putArray("required").add("success");
        properties.setAll((ObjectNode) Schema.of(output).json().get("properties"));
        // Over MCP, records can omit fields, such as empty lists, so the schema requires none of them.
        schema.get("properties").properties().stream()
                .filter(field -> !field.getKey().equals("status"))
                .flatMap(field -> field.getValue().findParents("required").stream())
                .forEach(record -> {
                    if (record.get("required").isArray()) {
                        ((ObjectNode) record).remove("required");
                    }
                });
        schema.putArray("required").add("status");
        // Truncated texts need no description: the fields are named truncated and length.
        schema.findParents("truncated").forEach(record -> ((ObjectNode) record).remove(List.of("truncated", "length")));
        for (var bound : List.of("maxLength", "minimum")) {
            schema.findParents(bound).forEach(value -> ((ObjectNode) value).remove(bound));
        }
        return schema;
    }

    /** Returns the fields that responses show only once. */
    static List<String> secretFields(Class<?> output) {
        return Arrays.stream(output.getRecordComponents())
                .flatMap(component -> isOnce(component)
                        ? Stream.of(Shape.snake(component.getName()))
                        : component.getType().isRecord() ? secretFields(component.getType()).stream() : Stream.empty())
                .toList();
    }

    /** Returns whether responses show it only once. A name is a record too, but its parts are not shown. */
    private static boolean isOnce(RecordComponent component) {
        var doc = component.getAnnotation(Doc.class);
        return doc != null && doc.once();
    }
}
