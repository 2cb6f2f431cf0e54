package io.agentworkspace.engine.identity;

import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import java.util.Base64;
import java.util.regex.Pattern;

/** A bearer token that has the shape of a JWT, not yet known to be good. It never prints itself. */
public record AccessToken(String text) implements Presented {
    private static final int LONGEST = 8_192;
    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*");

    private static final Pattern WITHIN =
            Pattern.compile("(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{5,}\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*");

    /** Whether something in the text looks like a JWT. */
    static boolean isIn(String text) {
        return WITHIN.matcher(text).find();
    }

    static boolean looksLike(String text) {
        return text.length() <= LONGEST && SHAPE.matcher(text).matches();
    }

    /** Whether it is written in the one way in which its bytes are written: base64 has bits that mean nothing. */
    public boolean isCanonical() {
        try {
            for (var part : text.split("\\.", -1)) {
                var bytes = Base64.getUrlDecoder().decode(part);
                if (!Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(bytes)
                        .equals(part)) {
                    return false;
                }
            }
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Who made it, as it says itself; empty where it says nothing that can be read. */
    String issuer() {
        try {
            var claims = Json.readObject(Base64.getUrlDecoder().decode(text.split("\\.", 3)[1]));
            return claims.path("iss").asString("");
        } catch (IllegalArgumentException | Problem e) {
            return "";
        }
    }

    @Override
    public String toString() {
        return "access token";
    }
}
