package io.agentworkspace.engine.model.mcp;

import io.agentworkspace.engine.model.schema.Doc;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/**
 * The configuration that connects one MCP client to this service, ready to paste. It contains a placeholder or a
 * prompt for the key, never a key.
 */
public record ClientConfiguration(
        @Doc("The client's word, for example cursor.") String client,
        @Doc("Its name.") String title,
        @Doc("Where the configuration goes.") String file,

        @Doc("In which form the file is.") String format,
        @Doc("What goes there, as it stands.") ObjectNode configuration,

        @Doc("A link that installs it, where the client has such links.") @Nullable
        String installLink,

        @Doc("A command that does the same, where the client has one; for a shell of Linux or macOS.") @Nullable
        String command,

        @Doc("What to do, in order.") List<String> steps,

        @Doc("How to see that it works.") String verify) {
    public ClientConfiguration {
        steps = List.copyOf(steps);
    }
}
