package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import io.agentworkspace.engine.memory.banks.transfer.source.SectionReader;
import io.agentworkspace.engine.model.text.StorableText;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/** Claude's data export: conversations, what Claude has remembered, and projects with their instructions and files. */
final class ClaudeFormat implements JsonFormat {
    private static final String PRODUCT = "Claude";

    /** A line of bold text, which what Claude remembers has in the place of headings. */
    private static final Pattern BOLD_LINE = Pattern.compile("(?m)^\\*\\*([^*\\n]{1,100})\\*\\*:?[ \\t]*$");

    @Override
    public String word() {
        return "claude";
    }

    @Override
    public String product() {
        return PRODUCT;
    }

    @Override
    public boolean has(JsonNode entry) {
        return entry.path("chat_messages").isArray()
                || entry.has("conversations_memory")
                || entry.path("docs").isArray() && entry.has("prompt_template");
    }

    @Override
    public boolean take(JsonNode entry, Place at, Records out) {
        if (entry.path("chat_messages").isArray()) {
            conversation(entry, at, out);
            return true;
        }
        if (entry.has("conversations_memory") || entry.path("project_memories").isObject()) {
            sections(entry.path("conversations_memory").asString(""), "Claude memory", at, out);
            entry.path("project_memories")
                    .properties()
                    .forEach(each ->
                            sections(each.getValue().asString(""), "Claude memory/project " + each.getKey(), at, out));
            return true;
        }
        if (entry.has("prompt_template") || entry.path("docs").isArray()) {
            project(entry, at, out);
            return true;
        }
        return false;
    }

    /** Adds a memory for each section of what Claude remembers. */
    private static void sections(String text, String name, Place at, Records out) {
        for (var section : SectionReader.of("", BOLD_LINE.matcher(text).replaceAll("## $1"), null)) {
            out.memory(new MemoryDraft(PRODUCT, section.text(), at).name(Labels.memoryName(name, section.name())));
        }
    }

    private static void project(JsonNode entry, Place at, Records out) {
        var project = entry.path("name").asString("project");
        var instructions = entry.path("prompt_template").asString("");
        if (!instructions.isBlank()) {
            out.memory(new MemoryDraft(PRODUCT, instructions, at)
                    .name(Labels.memoryName("Claude projects", project, "instructions"))
                    .created(entry, "created_at")
                    .rest(entry, Set.of("prompt_template", "docs", "created_at")));
        }
        for (var file : entry.path("docs")) {
            var text = StorableText.replaced(file.path("content").asString(""));
            var title = project + " " + file.path("filename").asString("file");
            if (text.isBlank()) {
                out.leaveOut("a file without text was left out", at);
            } else {
                var id = file.path("uuid").asString("");
                var name = Labels.documentName(PRODUCT, title, id.isBlank() ? title : id, 1);
                out.document(new ImportedDocument(name, Labels.origin(PRODUCT, id, 1), text, 0, at));
            }
        }
    }

    private static void conversation(JsonNode entry, Place at, Records out) {
        var id = entry.path("uuid").asString("");
        var conversation = new Conversation(PRODUCT, entry.path("name").asString(""), id, Long.toString(at.line()), at);
        for (var message : shown(entry)) {
            var sender = message.path("sender").asString("");
            var text = text(message, at, out);
            if (!sender.equals("human") && !sender.equals("assistant")) {
                out.leaveOut("a message of the system or of a tool was left out", at);
            } else if (!text.isBlank()) {
                var time = Times.of(message.path("created_at")).orElse(null);
                conversation.turn(time, sender.equals("human") ? "User" : PRODUCT, text, out);
            }
        }
        conversation.end(out);
    }

    /** Returns the branch that was shown last; all messages if none says which one it answers. */
    private static List<JsonNode> shown(JsonNode entry) {
        var messages = entry.path("chat_messages");
        Map<String, JsonNode> byId = new HashMap<>();
        messages.forEach(each -> byId.put(each.path("uuid").asString(""), each));
        var branch = new ArrayList<JsonNode>();
        var seen = new HashSet<String>();
        var id = entry.path("current_leaf_message_uuid").asString("");
        if (id.isEmpty()) {
            id = newestLeaf(messages);
        }
        while (byId.containsKey(id) && seen.add(id)) {
            branch.add(byId.get(id));
            id = byId.get(id).path("parent_message_uuid").asString("");
        }
        Collections.reverse(branch);
        return branch.isEmpty() ? messages.valueStream().toList() : branch;
    }

    /** Returns the id of the newest message that no other one answers; an empty text if no message says what it answers. */
    private static String newestLeaf(JsonNode messages) {
        var answered = messages.valueStream()
                .map(each -> each.path("parent_message_uuid").asString(""))
                .collect(Collectors.toSet());
        return answered.stream().allMatch(String::isEmpty)
                ? ""
                : messages.valueStream()
                        .filter(each -> !answered.contains(each.path("uuid").asString("")))
                        .reduce((one, other) -> time(other).isBefore(time(one)) ? one : other)
                        .map(each -> each.path("uuid").asString(""))
                        .orElse("");
    }

    private static Instant time(JsonNode message) {
        return Times.of(message.path("created_at")).orElse(Instant.EPOCH);
    }

    private static String text(JsonNode message, Place at, Records out) {
        var parts = new ArrayList<String>();
        for (var block : message.path("content")) {
            switch (block.path("type").asString("")) {
                case "text" -> parts.add(block.path("text").asString(""));
                case "image" -> parts.add("[image]");
                case "thinking", "redacted_thinking" ->
                    out.leaveOut("a thought or a setting of the model was left out", at);
                case "tool_use", "tool_result" -> out.leaveOut("a call of a tool was left out", at);
                default -> {}
            }
        }
        if (parts.stream().allMatch(String::isBlank) && message.path("content").isEmpty()) {
            parts.add(message.path("text").asString(""));
        }
        for (var kind : List.of("attachments", "files")) {
            message.path(kind).forEach(file -> {
                parts.add("[file: %s]".formatted(file.path("file_name").asString("unnamed")));
                parts.add(file.path("extracted_content").asString("")); // A pasted text.
            });
        }
        parts.removeIf(String::isBlank);
        return String.join("\n\n", parts);
    }
}
