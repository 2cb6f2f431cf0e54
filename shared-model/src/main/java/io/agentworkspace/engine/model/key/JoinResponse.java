package io.agentworkspace.engine.model.key;

import io.agentworkspace.engine.model.schema.Doc;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a program needs that has joined. */
public record JoinResponse(
        @Doc("The key, which is bound to the agent. It is never shown again. Absent in a preview.") @Nullable
        String apiKey,

        @Doc("The agent that the program now is.") String agent,
        @Doc("The address of the service.") String baseUrl,
        @Doc("The address of the MCP endpoint.") String mcpUrl,

        @Doc("Files that configure the client, with a placeholder for the key.")
        List<ClientFile> files,

        @Doc("Commands of the client that configure it instead, with a placeholder for the key.")
        List<String> commands) {

    /** A file that configures a client. */
    public record ClientFile(
            @Doc("Where it belongs.") String path,

            @Doc("Its content, to be merged with what is there.")
            String content) {}
}
