package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Letta's agent file ({@code .af}): blocks and archival passages become memories, the messages a conversation. */
final class LettaFormat implements JsonFormat {
    private static final String PRODUCT = "Letta";
    private static final List<String> BLOCKS = List.of("blocks", "core_memory", "memory_blocks");
    private static final List<String> PASSAGES =
            List.of("passages", "archival_passages", "archival_memory", "agent_passages");
    private static final Set<String> BLOCK = Set.of("label", "value", "created_at", "tags");
    private static final Set<String> PASSAGE = Set.of("text", "created_at", "tags", "embedding");

    /** Messages that the program sends to itself. */
    private static final Set<String> OWN = Set.of("heartbeat", "login", "system_alert");

    @Override
    public String word() {
        return "letta";
    }

    @Override
    public String product() {
        return PRODUCT;
    }

    @Override
    public boolean has(JsonNode entry) {
        return entry.path("agents").isArray() && entry.path("blocks").isArray()
                || entry.path("core_memory").isArray()
                || entry.has("agent_type") && entry.path("messages").isArray()
                || isBlock(entry);
    }

    private static boolean isBlock(JsonNode entry) {
        return entry.path("label").isString() && entry.path("value").isString() && entry.has("limit");
    }

    @Override
    public boolean take(JsonNode entry, Place at, Records out) {
        if (isBlock(entry)) {
            block(entry, "", at, out);
            return true;
        }
        if (!has(entry) && PASSAGES.stream().noneMatch(list -> entry.path(list).isArray())) {
            return false;
        }
        var agents = entry.path("agents");
        var owner = agents.size() == 1 ? agents.path(0) : entry;
        agent(entry, owner.path("name").asString(""), at, out);
        agents.forEach(agent -> agent(agent, agent.path("name").asString(""), at, out));
        return true;
    }

    /** @param owner the name of the agent whose blocks these are, if there is one */
    private static void agent(JsonNode agent, String owner, Place at, Records out) {
        BLOCKS.forEach(list -> agent.path(list).forEach(block -> block(block, owner, at, out)));
        PASSAGES.forEach(list -> agent.path(list).forEach(passage -> passage(passage, at, out)));
        var messages = agent.path("messages");
        if (messages.isArray() && !messages.isEmpty()) {
            var name = agent.path("name").asString("agent");
            var conversation = new Conversation(PRODUCT, name, "", name + "|" + first(messages), at);
            messages.forEach(message -> message(message, conversation, at, out));
            conversation.end(out);
        }
    }

    /**
     * Returns what distinguishes the messages from those of other files: the ids in a file are numbers, and a file has
     * the last messages only, so a later one must not replace it.
     */
    private static String first(JsonNode messages) {
        var first = messages.valueStream()
                .filter(message -> message.path("role").asString("").equals("user"))
                .findFirst()
                .orElse(messages.path(0));
        return "%s|%s".formatted(first.path("created_at").asString(""), content(first));
    }

    private static void block(JsonNode entry, String owner, Place at, Records out) {
        out.memory(new MemoryDraft(PRODUCT, entry.path("value").asString(""), at)
                .name(Labels.memoryName("Letta", owner, entry.path("label").asString("block")))
                .tags(Labels.tags(entry.path("tags")))
                .created(entry, "created_at")
                .rest(entry, BLOCK));
    }

    private static void passage(JsonNode entry, Place at, Records out) {
        var text = entry.isString() ? entry.asString() : entry.path("text").asString("");
        out.memory(new MemoryDraft(PRODUCT, text, at)
                .tags(Labels.tags(entry.path("tags")))
                .created(entry, "created_at")
                .rest(entry, PASSAGE));
    }

    private static void message(JsonNode message, Conversation conversation, Place at, Records out) {
        var role = message.path("role").asString("");
        var text = role.equals("user") ? asked(message) : role.equals("assistant") ? answered(message) : "";
        if (text.isBlank()) {
            out.leaveOut("a message of the system or of a tool was left out", at);
        } else {
            var time = Times.of(message.path("created_at")).orElse(null);
            conversation.turn(time, role.equals("user") ? "User" : "Agent", text, out);
        }
    }

    /** The program wraps what a user said in an object as text. */
    private static String asked(JsonNode message) {
        var text = content(message);
        var inner = parsed(text);
        return OWN.contains(inner.path("type").asString(""))
                ? ""
                : inner.path("message").isString() ? inner.path("message").asString() : text;
    }

    /** Older agents answer by a call of send_message. */
    private static String answered(JsonNode message) {
        for (var call : message.path("tool_calls")) {
            var function = call.path("function");
            if (function.path("name").asString("").equals("send_message")) {
                return parsed(function.path("arguments").asString(""))
                        .path("message")
                        .asString("");
            }
        }
        return content(message);
    }

    private static String content(JsonNode message) {
        var content = message.path(message.has("content") ? "content" : "text");
        return content.isString()
                ? content.asString()
                : String.join(
                        "\n\n",
                        content.valueStream()
                                .map(part -> part.path("text").asString(""))
                                .filter(part -> !part.isBlank())
                                .toList());
    }

    private static JsonNode parsed(String text) {
        if (!text.stripLeading().startsWith("{")) {
            return Json.object();
        }
        try {
            return Json.readForeign(text.getBytes(StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return Json.object(); // It is what was said.
        }
    }
}
