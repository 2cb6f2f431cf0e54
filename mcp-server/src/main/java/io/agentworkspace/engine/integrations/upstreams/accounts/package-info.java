/** Users' own accounts at upstream servers: how one is connected at its authorization server, and the tokens of it. */
@NullMarked
package io.agentworkspace.engine.integrations.upstreams.accounts;

import org.jspecify.annotations.NullMarked;
