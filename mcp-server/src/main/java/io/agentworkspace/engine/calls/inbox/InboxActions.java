package io.agentworkspace.engine.calls.inbox;

import io.agentworkspace.engine.calls.inbox.InboxItem.Action;
import io.agentworkspace.engine.calls.inbox.InboxItem.Kind;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Family;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** What can be done about an item, by whoever may do it. */
final class InboxActions {
    /** How many messages more are offered. */
    private static final int MORE = 50;

    private final Call call;
    private final List<Action> actions = new ArrayList<>();

    private InboxActions(Call call) {
        this.call = call;
    }

    /** @param detail what the statement read of the item for its actions */
    static List<Action> of(Call call, Kind kind, String id, @Nullable String from, JsonNode detail) {
        var all = new InboxActions(call);
        switch (kind) {
            case MESSAGE -> all.message(id, from, detail);
            case QUESTION -> all.question(id, detail);
            case INVITATION, REQUEST -> all.membership(detail);
            case GUARD -> all.stop(id, from, detail);
            case TASK -> all.task(id, detail);
            case UPSTREAM -> all.upstream(id, detail);
            case ENDPOINT -> all.endpoint(id, detail);
        }
        return List.copyOf(all.actions);
    }

    private void message(String id, @Nullable String from, JsonNode detail) {
        var isAgent = detail.path("by").asString("").equals("agent");
        var reply = Json.object().put("reply_to", id);
        var read = Json.object().put("inbox", true).put("thread", id);
        if (isAgent) {
            reply.putObject("target").put("agent", from);
        } else {
            reply.put("to_user", from);
        }
        change(Family.AGENT, "reply", "AP_Chat", reply, "content");
        if (call.isReadBySpeaker()) {
            read("mark as read", "AP_Read", read);
        }
    }

    private void question(String id, JsonNode detail) {
        var choices = detail.path("choices");
        for (var choice : choices) {
            var answer = Json.object().put("question", id).put("choice", choice.asString());
            change(Family.AGENT, choice.asString(), "AP_Answer", answer);
        }
        if (choices.isEmpty()) {
            change(Family.AGENT, "answer", "AP_Answer", Json.object().put("question", id), "content");
        }
    }

    private void membership(JsonNode detail) {
        change(Family.DOMAIN, "accept", "DM_Invite", target(detail));
        change(Family.DOMAIN, "decline", "DM_Kick", target(detail));
    }

    private static ObjectNode target(JsonNode detail) {
        var arguments = Json.object();
        arguments.set("target", detail.deepCopy());
        return arguments;
    }

    private void stop(String incident, @Nullable String agent, JsonNode detail) {
        var domain = detail.path("domain").asString(null);
        var own = detail.path("own").asString(null);
        if (detail.path("may_set_domain").asBoolean()) {
            set(Family.DOMAIN, "DM_Update", Json.object().put("domain", domain), null);
        } else if (own != null) {
            set(Family.AGENT, "AP_Modify", Json.object().put("agent", own), incident);
        }
        var write = Json.object();
        if (domain == null) {
            write.putObject("target").put("agent", agent);
            change(Family.AGENT, "write to the agent", "AP_Chat", write, "content");
        } else {
            write.putObject("target").put("domain", domain).set("zone", detail.path("zone"));
            change(Family.AGENT, "write there", "AP_Chat", write, "content");
        }
    }

    private void set(Family family, String tool, ObjectNode target, @Nullable String incident) {
        change(family, "allow " + MORE + " more", tool, guard(target, incident, "more"));
        change(family, "stop them", tool, guard(target, incident, "stopped"));
        change(family, "change the limit", tool, guard(target, incident, ""), "guard.hops", "guard.per_minute");
    }

    private static ObjectNode guard(ObjectNode target, @Nullable String incident, String change) {
        var arguments = Json.object();
        arguments.set("target", target.deepCopy());
        var guard = Json.object();
        if (incident != null) {
            guard.put("incident", incident);
        }
        switch (change) {
            case "more" -> guard.put("more", MORE);
            case "stopped" -> guard.put("stopped", true);
            default -> {} // The caller adds the limits.
        }
        if (!guard.isEmpty()) {
            arguments.set("guard", guard);
        }
        return arguments;
    }

    private void task(String id, JsonNode detail) {
        var open = Json.object().put("task", id).put("state", "open");
        var cancel = Json.object().put("task", id).put("state", "cancelled");
        if (detail.has("fence")) {
            open.put("fence", detail.path("fence").asLong());
            cancel.put("fence", detail.path("fence").asLong());
        }
        change(Family.TASK, "open again", "TK_Update", open, "note");
        change(Family.TASK, "cancel the task", "TK_Update", cancel);
        read("read", "TK_Read", Json.object().put("task", id));
    }

    private void upstream(String name, JsonNode detail) {
        var approve = Json.object()
                .put("name", name)
                .put("if_revision", detail.path("revision").asLong());
        change(Family.UPSTREAM, "approve", "UP_Approve", approve);
        read("read", "UP_Read", Json.object().put("name", name));
    }

    private void endpoint(String id, JsonNode detail) {
        if (!detail.path("enabled").asBoolean()) {
            change(
                    Family.WEBHOOK,
                    "enable",
                    "WH_Update",
                    Json.object().put("id", id).put("enabled", true));
        }
        read("read", "WH_Read", Json.object().put("id", id));
    }

    private void read(String name, String tool, ObjectNode arguments) {
        actions.add(new Action(name, tool, arguments, null));
    }

    private void change(Family family, String name, String tool, ObjectNode arguments, String... add) {
        if (call.caller().obstacleToChange(family, tool).isEmpty()) {
            actions.add(new Action(name, tool, arguments, add.length == 0 ? null : List.of(add)));
        }
    }
}
