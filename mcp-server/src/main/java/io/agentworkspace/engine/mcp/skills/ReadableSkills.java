package io.agentworkspace.engine.mcp.skills;

import io.agentworkspace.engine.integrations.skills.Library;
import io.agentworkspace.engine.kernel.wire.JsonRpcMessage;
import io.agentworkspace.engine.kernel.wire.SubscribedChange;
import io.agentworkspace.engine.mcp.source.McpRequest;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.skills.Skill;
import io.agentworkspace.engine.skills.SkillCard;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/** The skills that a caller may read. The shipped ones are in memory; each method reads the others in one statement. */
public final class ReadableSkills {
    private final SkillResources shipped = new SkillResources(Library.shipped());
    private final Library library;

    public ReadableSkills(Library library) {
        this.library = library;
    }

    /** Returns all skills, as lists show them. */
    SkillResources all(McpRequest request) {
        var cards = library.list(request.caller());
        return cards.size() == Library.shipped().size() ? shipped : new SkillResources(cards);
    }

    /** Returns the skill with this name. Empty if there is none. */
    SkillResources one(String name, McpRequest request) {
        return Library.shippedCard(name).isPresent()
                ? shipped
                : new SkillResources(
                        library.find(request.caller(), name).map(List::of).orElse(List.of()));
    }

    /** Returns the skill that this URI belongs to. */
    SkillResources at(String uri, McpRequest request) {
        return one(SkillAddress.find(uri).map(SkillAddress::skill).orElse(""), request);
    }

    /** Returns the content of this URI for {@code resources/read}. Empty if there is none. */
    Optional<ObjectNode> read(String uri, McpRequest request) {
        return SkillAddress.find(uri)
                .filter(address -> !address.path().isEmpty())
                .flatMap(address -> library.file(request.caller(), address.skill(), address.path()))
                .map(file -> {
                    var content = Json.object().put("uri", uri).put("mimeType", file.mediaType());
                    var text = file.text();
                    return text.isPresent()
                            ? put(content, text.get(), request)
                            : content.put("blob", Base64.getEncoder().encodeToString(file.bytes()));
                });
    }

    /** Sets the text. If the response has no room for all of it, the text is cut and marked as cut. */
    private static ObjectNode put(ObjectNode content, String text, McpRequest request) {
        var room = request.budget().forCall().sentOnce();
        var head = room.head(text, room.left() - 4096);
        content.put("text", head);
        if (head.length() < text.length()) {
            content.putObject(JsonRpcMessage.META)
                    .put("io.agentworkspace/truncated", true)
                    .put("io.agentworkspace/length", text.codePointCount(0, text.length()));
        }
        return content;
    }

    /**
     * Returns the skill's instructions for {@code prompts/get}, with the task if there is one, as a message of the user.
     */
    Optional<ObjectNode> prompt(String name, String task, McpRequest request) {
        return library.read(request.caller(), name).map(skill -> {
            var result = Json.object().put("description", skill.description());
            var content =
                    result.putArray("messages").addObject().put("role", "user").putObject("content");
            put(content.put("type", "text"), instructions(skill, task), request);
            return result;
        });
    }

    private static String instructions(Skill skill, String task) {
        var parts = new ArrayList<String>();
        parts.add("Use the skill '%s'. Its instructions follow.".formatted(skill.name()));
        parts.add(skill.body());
        if (skill.files().size() > 1) {
            parts.add("Its other files, to be read as resources when the instructions name them:\n"
                    + String.join(
                            "\n",
                            skill.files().stream()
                                    .filter(file -> !file.path().equals(Skill.MAIN))
                                    .map(file -> "- %s: %s"
                                            .formatted(file.path(), SkillResources.uri(skill.name(), file.path())))
                                    .toList()));
        }
        if (!task.isBlank()) {
            parts.add("The task: " + task.strip());
        }
        return String.join("\n\n", parts);
    }

    /** Returns the change to subscribe to for this URI. Shipped skills do not change. */
    Optional<SubscribedChange> changes(String uri, McpRequest request) {
        return SkillAddress.find(uri)
                .filter(address -> Library.shippedCard(address.skill()).isEmpty())
                .filter(address -> library.find(request.caller(), address.skill())
                        .flatMap(card -> card.file(address.path()))
                        .isPresent())
                .map(address -> new SubscribedChange(
                        request.caller().tenant(), SubscribedChange.SKILL, List.of(address.skill())));
    }

    /** Returns the URIs of all skills, to suggest the one that was probably meant. */
    List<String> addresses(McpRequest request) {
        return library.list(request.caller()).stream()
                .map(SkillCard::name)
                .map(name -> SkillResources.uri(name, Skill.MAIN))
                .toList();
    }
}
