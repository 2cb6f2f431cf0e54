package io.agentworkspace.engine.calls.why;

import io.agentworkspace.engine.identity.credentials.KeyFormat;
import io.agentworkspace.engine.memory.documents.DocumentName;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The thing that a call is about, by name or id: the one in the response, else the one in the request. Only names and
 * ids are taken from the request, so that no content gets into the audit.
 *
 * @param renamedTo the name that the call gave it
 * @param member the agent that the call also concerned
 */
public record AuditSubject(
        String kind,
        @Nullable String name,
        @Nullable String id,
        @Nullable String renamedTo,
        @Nullable String member) {
    private static final Pattern VERSION = Pattern.compile("(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9_-]{1,64}");

    /** Returns the subject of a call that was refused. */
    public static AuditSubject ofRequest(Tool<?, ?> tool, ObjectNode arguments, Call call) {
        return of(tool, arguments, call, Json.object());
    }

    public static AuditSubject of(Tool<?, ?> tool, ObjectNode arguments, Call call, ObjectNode answer) {
        var before = before(call);
        if (tool.foreign() != null) {
            return new AuditSubject(tool.family().word(), tool.foreign().upstream(), null, null, null);
        }
        return switch (tool.audited()) {
            case NAMED -> named(tool, arguments, answer, call);
            case NAMED_WITH_AGENT -> named(tool, arguments, answer, call).with(member(arguments, call));
            case DOCUMENT -> document(arguments, call, answer);
            case WITH_ID -> numbered(tool, arguments, answer, call);
            case ZONE -> zone(tool, arguments, before);
            case MESSAGE -> talk(arguments, answer);
            case ENDPOINT -> webhook("endpoint", arguments, answer);
            case DELIVERY -> webhook("delivery", arguments, answer);
            case SKILL -> numbered(tool, arguments, answer, call).with(name(arguments.path("agent")));
        };
    }

    private static @Nullable Context before(Call call) {
        return call.contextIfKnown() == null ? null : call.loadedContext();
    }

    /** Returns the subject of a call about an endpoint or a delivery. */
    private static AuditSubject webhook(String kind, ObjectNode arguments, ObjectNode answer) {
        var id = first(id(answer.at("/endpoint/id")), id(arguments.path("id")), id(arguments.path("endpoint_id")));
        return new AuditSubject(kind, null, id, null, null);
    }

    private static AuditSubject named(Tool<?, ?> tool, ObjectNode arguments, ObjectNode answer, Call call) {
        var before = before(call);
        var kind = tool.family().word();
        var about = call.about();
        var target = about != null ? about.name() : name(arguments.at("/target/" + kind));
        var text = name(arguments.at("/vx/name"));
        var self =
                before == null || before.self() == null ? null : before.self().name();
        var requestName = tool.effect() == Effect.CREATES
                ? first(text, target)
                : first(target, kind.equals("bank") ? text : null, kind.equals("agent") ? self : null);
        var now = name(answer.at("/" + kind + "/name"));
        if (requestName == null || now == null || Name.key(requestName).equals(Name.key(now))) {
            return new AuditSubject(kind, first(now, requestName), null, null, null);
        }
        return new AuditSubject(kind, requestName, null, now, null);
    }

    private static AuditSubject zone(Tool<?, ?> tool, ObjectNode arguments, @Nullable Context before) {
        var target = arguments.path("target");
        var entered = before == null ? null : before.domain();
        var within = before == null ? null : before.zone();
        var domain = first(name(target.path("domain")), entered == null ? null : entered.name());
        var zone = tool.effect() == Effect.CREATES
                ? name(arguments.at("/vx/name"))
                : first(name(target.path("zone")), target.has("domain") || within == null ? "main" : within.name());
        return zone("zone", domain, zone);
    }

    private static AuditSubject zone(String kind, @Nullable String domain, @Nullable String zone) {
        return new AuditSubject(kind, domain == null || zone == null ? null : domain + "/" + zone, null, null, null);
    }

    /** Returns the subject of a sent message: a zone, or the recipient. */
    private static AuditSubject talk(ObjectNode arguments, ObjectNode answer) {
        var said = answer.at("/content/0");
        if (said.has("zone")) {
            return zone("zone", name(said.path("domain")), name(said.path("zone")));
        } else if (said.has("to")) {
            return new AuditSubject(said.path("to_kind").asString(), name(said.path("to")), null, null, null);
        }
        var target = arguments.path("target");
        return target.has("domain")
                ? zone("zone", name(target.path("domain")), first(name(target.path("zone")), "main"))
                : new AuditSubject("agent", name(target.path("agent")), null, null, null);
    }

    private static AuditSubject numbered(Tool<?, ?> tool, ObjectNode arguments, ObjectNode answer, Call call) {
        var about = call.about();
        if (about != null) {
            return new AuditSubject(tool.family().word(), about.name(), about.id(), null, null);
        }
        var record = answer.path(tool.family().word());
        return new AuditSubject(
                tool.family().word(),
                first(name(record.path("name")), name(arguments.path("name"))),
                first(id(record.path("id")), id(arguments.path("id"))),
                null,
                null);
    }

    /** Returns the document, by the id of a version where the call is about one. A text that is no id is a name. */
    private static AuditSubject document(ObjectNode arguments, Call call, ObjectNode answer) {
        var about = call.about();
        var record = answer.path("document");
        var text = arguments.path("id").asString("");
        var isVersion = VERSION.matcher(text).matches();
        var name = first(
                document(record.path("name").asString("")),
                about == null ? null : document(about.name()),
                document(arguments.path("name").asString("")),
                isVersion ? null : document(text));
        var id = first(
                id(record.path("id")), about != null ? about.id() : isVersion ? text.toLowerCase(Locale.ROOT) : null);
        return new AuditSubject("document", name, id, null, null);
    }

    /** Returns the name of a document, unless it cannot be one. */
    private static @Nullable String document(String text) {
        return DocumentName.broken(text).isPresent() ? null : KeyFormat.masked(Name.normal(text));
    }

    private AuditSubject with(@Nullable String other) {
        return new AuditSubject(kind, name, id, renamedTo, other);
    }

    /** Returns the agent in the arguments, unless it is the acting agent. */
    private static @Nullable String member(ObjectNode arguments, Call call) {
        var agent = name(arguments.at("/target/agent"));
        var acting = call.acting();
        return agent != null && acting != null && Name.key(agent).equals(Name.key(acting.name())) ? null : agent;
    }

    private static @Nullable String name(JsonNode value) {
        var text = value.asString("");
        return Name.brokenMention(text).isPresent()
                ? null
                : KeyFormat.masked(Name.of(text).text());
    }

    private static @Nullable String id(JsonNode value) {
        var text = value.asString("");
        return ID.matcher(text).matches() ? KeyFormat.masked(text) : null;
    }

    private static @Nullable String first(@Nullable String... candidates) {
        return Stream.of(candidates)
                .filter(java.util.Objects::nonNull)
                .findFirst()
                .orElse(null);
    }
}
