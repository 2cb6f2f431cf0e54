package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.MarkdownSections;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.text.Excerpt;
import io.agentworkspace.engine.model.text.Sha256;
import io.agentworkspace.engine.model.text.StorableText;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Makes names and tags of the texts that other products have in their place. */
final class Labels {
    private static final int MOST_TAGS = 20;
    private static final int LONGEST_TAG = 64;
    private static final int LONGEST_TITLE = 120;
    private static final int LENGTH_OF_ID = 8;

    private Labels() {}

    /** Returns a memory's name of these parts; null if none has a character that a name can have. */
    static @Nullable String memoryName(String... parts) {
        var name = Stream.of(parts)
                .flatMap(part -> Stream.of(part.split("/")))
                .map(MarkdownSections::plain)
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining("/"));
        return name.isEmpty() || MemoryName.broken(name).isPresent() ? null : name;
    }

    /**
     * Returns a document's name: the title, without the characters that none can have, and what makes it unique.
     *
     * @param part of a long text, counted from 1
     */
    static String documentName(String product, String title, String unique, int part) {
        var plain = title.replaceAll("[/\\\\]", "-")
                .replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Co}\\p{Cn}\\p{Zl}\\p{Zp}]+", " ")
                .replaceAll("\\s+", " ")
                .strip();
        var known =
                plain.isEmpty() ? "" : " " + Excerpt.cut(plain, LONGEST_TITLE).strip();
        var id = Sha256.hex(unique.getBytes(StandardCharsets.UTF_8)).substring(0, LENGTH_OF_ID);
        return "%s%s%s (%s).md".formatted(product, known, part == 1 ? "" : ", part " + part, id);
    }

    /**
     * Returns what a document is in a product, however it is called.
     *
     * @param id an empty text if it has none
     */
    static @Nullable String origin(String product, String id, int part) {
        var plain = StorableText.replaced(id).strip();
        if (plain.isEmpty()) {
            return null;
        }
        var known = plain.length() > LONGEST_TITLE ? Sha256.hex(plain.getBytes(StandardCharsets.UTF_8)) : plain;
        return part == 1 ? "%s %s".formatted(product, known) : "%s %s, part %d".formatted(product, known, part);
    }

    /** Returns the texts of an array, or of a text with commas, as tags. */
    static List<String> tags(JsonNode value) {
        if (value.isString()) {
            return tags(List.of(value.asString().split(",")));
        }
        return tags(value.valueStream()
                .filter(JsonNode::isValueNode)
                .map(JsonNode::asString)
                .toList());
    }

    static List<String> tags(List<String> raw) {
        var tags = new ArrayList<String>();
        for (var each : raw) {
            var plain = Normalizer.normalize(each, Normalizer.Form.NFC)
                    .replaceAll("[\\p{Cc}\\p{Cf}\\p{Cs}]", "")
                    .strip()
                    .replaceFirst("^#", "");
            var tag = Excerpt.cut(plain, LONGEST_TAG).strip();
            var isKnown = tags.stream()
                    .anyMatch(known -> known.toLowerCase(Locale.ROOT).equals(tag.toLowerCase(Locale.ROOT)));
            if (!tag.isEmpty() && !isKnown && tags.size() < MOST_TAGS) {
                tags.add(tag);
            }
        }
        return tags;
    }
}
