package io.agentworkspace.engine.identity;

import io.agentworkspace.engine.model.Json;
import io.agentworkspace.engine.model.Problem;
import java.util.Base64;
import java.util.regex.Pattern;

/** A bearer token that has the shape of a JWT, not yet known to be good. It never prints itself. */
public record AccessToken(String text) implements Presented {
    private static final int LONGEST = 8_192;
    private static final Pattern SHAPE = Pattern.compile("[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]*");

    static boolean looksLike(String text) {
        return text.length() <= LONGEST && SHAPE.matcher(text).matches();
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
