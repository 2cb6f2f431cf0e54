package io.agentworkspace.engine.skills;

import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.StorableInput;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads untrusted YAML 1.2 (core schema) as JSON: small, shallow, without aliases, with text as keys. */
public final class Yaml {
    private static final int MAX_CHARACTERS = 64 * 1024;
    private static final int MAX_DEPTH = 16;
    private static final int MAX_KEY = 200;
    private static final int MAX_BITS = 256;
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private static final LoadSettings SETTINGS = LoadSettings.builder()
            .setSchema(new CoreSchema())
            .setAllowDuplicateKeys(false)
            .setAllowNonScalarKeys(false)
            .setCodePointLimit(MAX_CHARACTERS)
            .build();

    private Yaml() {}

    /** @throws Problem with what is wrong */
    public static ObjectNode read(String yaml) {
        if (yaml.length() > MAX_CHARACTERS) {
            throw Problem.tooLarge("the frontmatter of SKILL.md", yaml.length(), MAX_CHARACTERS, "characters");
        }
        try {
            checkStructure(yaml);
            return object(new Load(SETTINGS).loadFromString(yaml));
        } catch (YamlEngineException e) {
            throw invalid("is not valid YAML" + where(e));
        }
    }

    /** Checks the structure before loading: the loader recurses at each level, the parser of events does not. */
    private static void checkStructure(String yaml) {
        var depth = 0;
        for (var event : new Parse(SETTINGS).parseString(yaml)) {
            switch (event) {
                case CollectionStartEvent _ -> depth++;
                case CollectionEndEvent _ -> depth--;
                case AliasEvent _ -> throw invalid("must not use aliases (*name); write the value out");
                default -> {}
            }
            if (depth > MAX_DEPTH) {
                throw invalid("is nested more than %d levels deep".formatted(MAX_DEPTH));
            }
        }
    }

    private static ObjectNode object(@Nullable Object value) {
        if (value instanceof Map<?, ?> && json(value) instanceof ObjectNode object) {
            return object;
        }
        throw invalid("must be a map of fields, like 'name: my-skill'");
    }

    private static JsonNode json(@Nullable Object value) {
        return switch (value) {
            case null -> NODES.nullNode();
            case String text -> NODES.stringNode(storable(text));
            case Boolean flag -> NODES.booleanNode(flag);
            case Integer number -> NODES.numberNode(number);
            case Long number -> NODES.numberNode(number);
            case BigInteger number when number.bitLength() <= MAX_BITS -> NODES.numberNode(number);
            case Double number when Double.isFinite(number) -> NODES.numberNode(number);
            case List<?> items -> {
                var array = NODES.arrayNode();
                items.forEach(item -> array.add(json(item)));
                yield array;
            }
            case Map<?, ?> fields -> {
                var object = Json.object();
                fields.forEach((key, inner) -> object.set(key(key), json(inner)));
                yield object;
            }
            default -> throw invalid("must hold only text, numbers, true, false, null, lists and maps");
        };
    }

    private static String key(@Nullable Object key) {
        if (key instanceof String text && text.length() <= MAX_KEY) {
            return storable(text);
        } else if (key instanceof String) {
            throw invalid("must have keys of at most %d characters".formatted(MAX_KEY));
        }
        throw invalid("must have text as keys; put '%s' in quotes".formatted(key));
    }

    /** @throws Problem if the database cannot store the text, which escapes can contain */
    private static String storable(String text) {
        StorableInput.check("the frontmatter of SKILL.md", text);
        return text;
    }

    private static String where(YamlEngineException e) {
        if (e instanceof MarkedYamlEngineException marked
                && marked.getProblemMark().isPresent()) {
            // The frontmatter begins on the second line of the file, and the parser counts from 0.
            var at = marked.getProblemMark().get();
            return " at line %d, column %d: %s".formatted(at.getLine() + 2, at.getColumn() + 1, marked.getProblem());
        }
        return "";
    }

    private static Problem invalid(String rule) {
        return Problem.invalid("the frontmatter of SKILL.md", rule);
    }
}
