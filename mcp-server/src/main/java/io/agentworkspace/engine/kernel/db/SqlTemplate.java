package io.agentworkspace.engine.kernel.db;

import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * SQL with named fragments: {@code {visible}} in the text is where the fragment of that name goes. Statements are
 * assembled with it when their class is loaded, never in a call. Each name has one fragment, and each fragment is used.
 */
public final class SqlTemplate {
    /** The columns of a text that is not cut. */
    public static final String WHOLE = "CAST(NULL AS boolean) AS truncated, CAST(NULL AS integer) AS length";

    /** A name in braces. Quoted, it would be an array. */
    private static final Pattern NAME = Pattern.compile("(?<!')\\{(\\w+)}");

    private final String text;
    private final Map<String, String> fragments = new HashMap<>();

    private SqlTemplate(String text) {
        this.text = text;
    }

    public static SqlTemplate of(String text) {
        return new SqlTemplate(text);
    }

    /**
     * Gives the fragment for a name, wherever the text has it.
     *
     * @throws IllegalArgumentException if the text does not have the name, or the name has a fragment
     */
    public SqlTemplate with(String name, String fragment) {
        if (!text.contains("{" + name + "}")) {
            throw new IllegalArgumentException("the statement has no {" + name + "}");
        }
        if (fragments.put(name, fragment) != null) {
            throw new IllegalArgumentException("{" + name + "} has a fragment");
        }
        return this;
    }

    /** Gives a number, which is a part of the text and therefore of the plan. */
    public SqlTemplate with(String name, long number) {
        return with(name, Long.toString(number));
    }

    /**
     * Returns the SQL.
     *
     * @throws IllegalStateException if a name has no fragment
     */
    public String sql() {
        return NAME.matcher(text).replaceAll(name -> Matcher.quoteReplacement(fragment(name.group(1))));
    }

    private String fragment(String name) {
        var fragment = fragments.get(name);
        if (fragment == null) {
            throw new IllegalStateException("{" + name + "} has no fragment");
        }
        return fragment;
    }
}
