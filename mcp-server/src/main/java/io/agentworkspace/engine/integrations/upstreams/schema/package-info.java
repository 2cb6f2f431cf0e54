/** Schemas of other servers' tools, in words that the APIs of all vendors take. */
@NullMarked
package io.agentworkspace.engine.integrations.upstreams.schema;

import org.jspecify.annotations.NullMarked;
