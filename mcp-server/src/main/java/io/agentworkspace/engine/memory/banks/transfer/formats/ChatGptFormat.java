package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * ChatGPT's data export: conversations as trees of messages, of which the branch that was shown last is kept, and what
 * ChatGPT has remembered about the account.
 */
final class ChatGptFormat implements JsonFormat {
    private static final String PRODUCT = "ChatGPT";

    /** What a model marks between characters of private use: a kind, and what it is of. */
    private static final Pattern MARK =
            Pattern.compile("\uE200([a-z_]{0,40})\uE202?([^\uE200\uE201]{0,2000})\uE201|[\uE000-\uF8FF]");

    /** The marks that have a text which people see. The others are citations and widgets. */
    private static final Set<String> SHOWN = Set.of("entity", "url", "link_title");

    private static final Pattern FORGET = Pattern.compile("(?is)(please )?forget\\b.*");

    /** An entry of the list that the model was given of its memories: a number, a date and the text. */
    private static final Pattern REMEMBERED =
            Pattern.compile("(?m)^\\d{1,4}\\. \\[(\\d{4}-\\d{2}-\\d{2})]\\.? (\\S.*)$");

    private final Set<String> remembered = new HashSet<>();

    /** The newest list of its memories that the model was given. */
    private List<MemoryDraft> given = List.of();

    private Instant givenAt = Instant.MIN;

    @Override
    public String word() {
        return "chatgpt";
    }

    @Override
    public String product() {
        return PRODUCT;
    }

    @Override
    public JsonFormat begin() {
        return new ChatGptFormat();
    }

    @Override
    public boolean has(JsonNode entry) {
        return entry.path("mapping").isObject()
                && (entry.has("current_node")
                        || entry.path("mapping").valueStream().anyMatch(node -> node.has("message")));
    }

    @Override
    public boolean take(JsonNode entry, Place at, Records out) {
        if (entry.path("mapping").isObject()) {
            conversation(entry, at, out);
            return true;
        }
        return takeMemory(entry, at, out);
    }

    /** An entry of a list of memories, or an object that has such a list. */
    private boolean takeMemory(JsonNode entry, Place at, Records out) {
        var list = entry.path("memories");
        if (list.isArray()) {
            list.forEach(each -> takeMemory(each, at, out));
            return true;
        }
        var isMemory = at.file().matches("(?i).*memor(y|ies)[^/]*\\.json");
        var text = entry.isString() ? entry : entry.path(entry.has("content") ? "content" : "memory");
        if (isMemory && text.isString()) {
            var draft = new MemoryDraft(PRODUCT, text.asString(), at);
            remember(
                    draft.created(entry, "created_at", "create_time", "updated_at")
                            .rest(entry, Set.of("content", "memory", "created_at", "create_time")),
                    out);
        }
        return isMemory && text.isString();
    }

    private void remember(MemoryDraft draft, Records out) {
        if (remembered.add(draft.text())) {
            out.memory(draft);
        }
    }

    private void conversation(JsonNode entry, Place at, Records out) {
        var id = entry.path("conversation_id").asString(entry.path("id").asString(""));
        var conversation =
                new Conversation(PRODUCT, entry.path("title").asString(""), id, Long.toString(at.line()), at);
        for (var node : shown(entry)) {
            var message = node.path("message");
            var time = Times.of(message.path("create_time")).orElse(null);
            takeRemembered(message, time, at, out);
            takeGiven(message, time, at);
            var fault = whyLeftOut(message);
            if (fault == null) {
                var isUser = message.at("/author/role").asString("").equals("user");
                conversation.turn(time, isUser ? "User" : PRODUCT, text(message), out);
            } else if (message.isObject() && !fault.isEmpty()) {
                out.leaveOut(fault, at);
            }
        }
        conversation.end(out);
    }

    /** Returns the messages from the first one to the one that was shown last. */
    private static List<JsonNode> shown(JsonNode entry) {
        var mapping = entry.path("mapping");
        var branch = new ArrayList<JsonNode>();
        var seen = new HashSet<String>();
        var id = entry.path("current_node").asString("");
        if (!mapping.has(id)) {
            id = lastLeaf(mapping);
        }
        while (id != null && mapping.has(id) && seen.add(id)) {
            branch.add(mapping.path(id));
            id = mapping.path(id).path("parent").asString("");
        }
        Collections.reverse(branch);
        return branch;
    }

    private static @Nullable String lastLeaf(JsonNode mapping) {
        String last = null;
        for (var node : mapping.properties()) {
            if (node.getValue().path("children").isEmpty()) {
                last = node.getKey();
            }
        }
        return last;
    }

    /** Returns why a message is not part of the text; null if it is; empty if it says nothing. */
    private static @Nullable String whyLeftOut(JsonNode message) {
        var role = message.at("/author/role").asString("");
        var type = message.at("/content/content_type").asString("text");
        if (message.at("/metadata/is_visually_hidden_from_conversation").asBoolean(false)) {
            return "a hidden message was left out";
        }
        if (!role.equals("user") && !role.equals("assistant")) {
            return text(message).isBlank() ? "" : "a message of the system or of a tool was left out";
        }
        var recipient = message.path("recipient").asString("all");
        if (!recipient.equals("all")) {
            return "a call of a tool was left out";
        }
        if (Set.of("thoughts", "reasoning_recap", "model_editable_context", "user_editable_context")
                .contains(type)) {
            return "a thought or a setting of the model was left out";
        }
        return text(message).isBlank() ? "" : null;
    }

    private static String text(JsonNode message) {
        var content = message.path("content");
        var parts = new ArrayList<String>();
        content.path("parts").forEach(part -> parts.add(part(part)));
        var code = content.path("text").asString("");
        if (!code.isBlank()) {
            var isCode = content.path("content_type").asString("").equals("code");
            parts.add(isCode ? "```\n%s\n```".formatted(code) : code);
        }
        message.at("/metadata/attachments")
                .forEach(file ->
                        parts.add("[file: %s]".formatted(file.path("name").asString("unnamed"))));
        parts.removeIf(String::isBlank);
        return MARK.matcher(String.join("\n\n", parts)).replaceAll(mark -> Matcher.quoteReplacement(shown(mark)));
    }

    /** Returns what people see in the place of a mark: the name of an entity, the title of a link. */
    private static String shown(MatchResult mark) {
        if (mark.group(1) == null || !SHOWN.contains(mark.group(1))) {
            return "";
        }
        var content = mark.group(2);
        if (!content.startsWith("[")) {
            return content.split("\uE202", 2)[0];
        }
        try {
            var list = Json.readForeign(content.getBytes(StandardCharsets.UTF_8));
            return list.path(list.size() > 1 ? 1 : 0).asString("");
        } catch (IllegalArgumentException e) {
            return content;
        }
    }

    /** Returns a text as it is, and a placeholder for an image or a sound. */
    private static String part(JsonNode part) {
        if (part.isString()) {
            return part.asString();
        }
        var type = part.path("content_type").asString("");
        if (part.path("text").isString()) {
            return part.path("text").asString();
        }
        return type.contains("image")
                ? "[image]"
                : type.contains("audio") ? "[audio]" : type.contains("video") ? "[video]" : "";
    }

    /** What the model was told to remember. */
    private void takeRemembered(JsonNode message, @Nullable Instant time, Place at, Records out) {
        var isWritten = message.at("/author/role").asString("").equals("assistant")
                && message.path("recipient").asString("").equals("bio");
        if (isWritten && FORGET.matcher(text(message)).matches()) {
            out.leaveOut("a request to forget something was left out", at);
        } else if (isWritten) {
            remember(new MemoryDraft(PRODUCT, text(message), at).created(time), out);
        }
    }

    /** Keeps the list of its memories that the model was given last: an older one may have what was deleted since. */
    private void takeGiven(JsonNode message, @Nullable Instant time, Place at) {
        var list = message.at("/content/model_set_context").asString("");
        var when = time == null ? Instant.MIN : time;
        if (list.isBlank() || when.isBefore(givenAt)) {
            return;
        }
        givenAt = when;
        given = REMEMBERED
                .matcher(list)
                .results()
                .map(each -> new MemoryDraft(PRODUCT, each.group(2), at)
                        .created(Json.object().put("created_at", each.group(1)), "created_at"))
                .toList();
    }

    @Override
    public void end(Records out) {
        given.forEach(draft -> remember(draft, out));
    }
}
