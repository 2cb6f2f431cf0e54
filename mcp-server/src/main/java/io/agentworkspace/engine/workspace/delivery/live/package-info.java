/** What happens in a tenant, as a stream of server-sent events: {@code LiveEndpoint} opens them and reads for them. */
@NullMarked
package io.agentworkspace.engine.workspace.delivery.live;

import org.jspecify.annotations.NullMarked;
