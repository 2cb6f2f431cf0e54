package io.agentworkspace.engine.identity.oauth;

import io.agentworkspace.engine.identity.credentials.KeyFormat;
import java.security.SecureRandom;

/** The texts of codes, refresh tokens and clients' secrets. They are shown once and stored as hashes. */
final class OAuthSecret {
    static final String CODE = "ec_";
    static final String REFRESH = "er_";
    static final String CLIENT = "es_";

    private static final int PARTS = 4;

    private OAuthSecret() {}

    /** Returns a prefix and 48 random letters and digits. */
    static String generate(String prefix, SecureRandom random) {
        var text = new StringBuilder(prefix);
        for (var i = 0; i < PARTS; i++) {
            text.append(KeyFormat.randomId(random));
        }
        return text.toString();
    }
}
