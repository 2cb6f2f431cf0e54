package io.agentworkspace.engine.workspace.agents;

import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Where an agent lives that is not here, as AP_Create and AP_Modify take it. */
record RemoteRequest(
        @Doc(value = "Its A2A address, or that of its card; none: it lives here.", max = 2_000)
        String url,

        @Doc("What to authenticate with there. Default: nothing.") @Nullable
        Credential credential) {
    static final String DOC = "Where it lives if not here: messages to it are sent there by A2A.";

    private static final String NOWHERE = "none";
    private static final String AUTHORIZATION = "Authorization";
    private static final Pattern HEADER = Pattern.compile("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}");
    private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e]+");

    /** Headers that say what a request is, and not who sends it. */
    private static final Set<String> RESERVED =
            Set.of("accept", "connection", "content-length", "content-type", "host", "transfer-encoding");

    /** The credential for the other server. Its value is never shown again. */
    record Credential(
            @Doc(value = "Of the header. Default: Authorization.", max = 100, mayBeBlank = true) @Nullable
            String header,

            @Doc(value = "Of the header, like Bearer …", max = 8_000)
            String value) {}

    boolean isHere() {
        return url.strip().equals(NOWHERE);
    }

    /**
     * Returns the header that carries the credential; null if there is none.
     *
     * @param taken the names, in lower case, that the protocol needs
     */
    @Nullable
    String header(Set<String> taken) {
        if (credential == null) {
            return null;
        }
        var name = credential.header() == null ? AUTHORIZATION : credential.header();
        var key = name.toLowerCase(Locale.ROOT);
        if (!HEADER.matcher(name).matches() || RESERVED.contains(key) || taken.contains(key)) {
            throw Problem.invalid("remote.credential.header", "must be the name of a header that carries a credential");
        }
        return name;
    }

    @Nullable
    String secret() {
        if (credential == null) {
            return null;
        }
        if (!VALUE.matcher(credential.value()).matches()) {
            throw Problem.invalid("remote.credential.value", "must have only printable ASCII characters");
        }
        return credential.value();
    }
}
