package io.agentworkspace.engine.identity.credentials;

import java.util.regex.Pattern;

/** A bearer token in the form of a JWT, not yet verified. Its text form never contains the token. */
public record AccessToken(String text) implements Presented {
    private static final int LONGEST = 8_192;
    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*");

    private static final Pattern WITHIN =
            Pattern.compile("(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*");

    /** Returns whether part of the text looks like a JWT. */
    static boolean isIn(String text) {
        return WITHIN.matcher(text).find();
    }

    static boolean looksLike(String text) {
        return text.length() <= LONGEST && SHAPE.matcher(text).matches();
    }

    /** Returns the issuer that the token names; empty if that cannot be read. */
    String issuer() {
        return UnverifiedToken.read(text)
                .map(token -> token.claims().path("iss").asString(""))
                .orElse("");
    }

    @Override
    public String toString() {
        return "access token";
    }
}
