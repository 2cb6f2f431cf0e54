package io.agentworkspace.engine.integrations.upstreams.texts;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/**
 * The texts of a definition: all that a model could read in it, wherever it is. These are its strings, and the names of fields such as those of
 * parameters. Left out are only words that the protocol and JSON Schema prescribe.
 */
public final class DefinitionTexts {
    private static final String TYPE = "type";
    private static final Set<String> TYPES =
            Set.of("object", "array", "string", "number", "integer", "boolean", "null");

    /** Names of fields that say nothing, since they mean something else. */
    private static final Set<String> PRESCRIBED = Set.of(
            "_meta",
            "additionalProperties",
            "allOf",
            "annotations",
            "anyOf",
            "arguments",
            "const",
            "default",
            "description",
            "destructiveHint",
            "enum",
            "examples",
            "execution",
            "format",
            "icons",
            "idempotentHint",
            "inputSchema",
            "items",
            "maxItems",
            "maxLength",
            "maximum",
            "mimeType",
            "minItems",
            "minLength",
            "minimum",
            "name",
            "oneOf",
            "openWorldHint",
            "outputSchema",
            "pattern",
            "properties",
            "readOnlyHint",
            "required",
            "title",
            TYPE,
            "uri",
            "uriTemplate");

    /** What is between the words of a name: signs, or a capital letter. */
    private static final Pattern JOINTS = Pattern.compile("[_.-]+|(?<=[a-z])(?=[A-Z])");

    private DefinitionTexts() {}

    /** Returns them one after another: a sentence may also be spread over several. */
    public static String of(JsonNode definition) {
        var texts = new ArrayList<String>();
        collect(definition, texts);
        return String.join("\n", texts);
    }

    private static void collect(JsonNode value, List<String> texts) {
        if (value.isString()) {
            add(value.asString(), texts);
        }
        for (var element : value.isArray() ? value : List.<JsonNode>of()) {
            collect(element, texts);
        }
        for (var field : value.properties()) {
            if (!PRESCRIBED.contains(field.getKey())) {
                add(field.getKey(), texts);
            }
            if (!field.getKey().equals(TYPE) || !TYPES.contains(field.getValue().asString(""))) {
                collect(field.getValue(), texts);
            }
        }
    }

    /** Adds a text; one that is written without spaces, as names are, also with them. */
    private static void add(String text, List<String> texts) {
        texts.add(text);
        if (text.chars().noneMatch(Character::isWhitespace)) {
            var words = JOINTS.matcher(text).replaceAll(" ");
            if (!words.equals(text)) {
                texts.add(words);
            }
        }
    }
}
