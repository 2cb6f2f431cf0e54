package io.agentworkspace.engine.integrations.upstreams.client;

import java.time.Duration;
import java.util.Map;

/** The credential for a server: of an admin, or of the account that the user has connected there. The one for the engine never gets there. */
interface CredentialSource {
    /** No credential. */
    CredentialSource NONE = _ -> Map.of();

    /**
     * Returns the headers that carry it.
     *
     * @throws UpstreamFailure if it could not be had
     */
    Map<String, String> headers(Duration limit) throws InterruptedException;

    /**
     * Notes that the server refused the credential.
     *
     * @param status of its response
     * @param sent the headers that carried it
     * @return whether there is another one, so that the request is worth repeating: the server did nothing
     */
    default boolean refused(int status, Map<String, String> sent) {
        return false;
    }
}
