package io.agentworkspace.engine.integrations.upstreams.client;

import io.agentworkspace.engine.model.tool.Progress;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** A client of one server, in the server's revision of the protocol. Calls block: make them on virtual threads. */
public interface UpstreamClient extends AutoCloseable {
    /**
     * Sends a request and returns its result. An interrupt cancels it.
     *
     * @param headers further headers of the HTTP request
     * @param limit for the whole exchange
     * @throws UpstreamFailure if there is no result
     */
    ObjectNode request(
            String method, ObjectNode params, Map<String, String> headers, Progress progress, Duration limit);

    /** Returns the revision of the protocol. */
    String era();

    /**
     * Has the server announce changes of its lists and of these resources, and of no others.
     *
     * @param limit for each request that this needs
     * @throws UpstreamFailure if it cannot be reached
     */
    void follow(Set<String> uris, Duration limit);

    /** Ends what {@link #follow} began. */
    void unfollow();

    /** Ends what it holds open, apart from calls. */
    @Override
    void close();
}
