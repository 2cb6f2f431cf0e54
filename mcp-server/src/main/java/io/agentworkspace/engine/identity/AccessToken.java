package io.agentworkspace.engine.identity;

import java.util.regex.Pattern;

/** A bearer token that has the shape of a JWT, not yet known to be good. It never prints itself. */
public record AccessToken(String text) implements Presented {
    private static final int LONGEST = 4_096;
    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*");

    static boolean looksLike(String text) {
        return text.length() <= LONGEST && SHAPE.matcher(text).matches();
    }

    @Override
    public String toString() {
        return "access token";
    }
}
