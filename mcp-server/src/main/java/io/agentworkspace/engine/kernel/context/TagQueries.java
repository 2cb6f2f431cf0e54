package io.agentworkspace.engine.kernel.context;

import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.problem.Name;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Compares tags in the database: their case does not count, as with names. The given spelling is kept. */
public final class TagQueries {
    private TagQueries() {}

    /** Returns the condition that what is in the column has all tags of {@code :tags}, which are {@link #patterns}. */
    public static String hasAll(String column) {
        return SqlTemplate.of("""
                NOT EXISTS (SELECT FROM unnest(CAST(:tags AS text[])) tag (pattern)
                             WHERE NOT EXISTS (SELECT FROM unnest({column}) one (spelling) WHERE one.spelling ~ tag.pattern))
                """).with("column", column).sql();
    }

    /**
     * Returns regular expressions for the spellings of tags. They contain both cases of each letter, since what PostgreSQL
     * takes for a letter's other case depends on the collation of the database.
     */
    public static List<String> patterns(List<String> tags) {
        return tags.stream().map(TagQueries::pattern).toList();
    }

    private static String pattern(String tag) {
        // The key has ss for the sharp s, which has no upper case of its own in most texts.
        var others = Name.key(tag)
                .codePoints()
                .mapToObj(TagQueries::spellings)
                .collect(Collectors.joining())
                .replace("[sS][sS]", "(?:[sS][sS]|[\u00df\u1e9e])");
        var same = tag.codePoints().mapToObj(TagQueries::spellings).collect(Collectors.joining());
        return "^(?:%s|%s)$".formatted(same, others);
    }

    private static String literal(int character) {
        var isPlain = character >= 128 || Character.isLetterOrDigit(character);
        return isPlain ? Character.toString(character) : "\\" + (char) character;
    }

    private static String spellings(int letter) {
        if (letter == ' ') {
            return "[[:space:]]+";
        }
        if (!Character.isLetter(letter)) {
            return literal(letter);
        }
        return IntStream.of(
                        letter,
                        Character.toLowerCase(letter),
                        Character.toUpperCase(letter),
                        Character.toTitleCase(letter),
                        letter == '\u03c3' ? '\u03c2' : letter)
                .distinct()
                .mapToObj(Character::toString)
                .collect(Collectors.joining("", "[", "]"));
    }
}
