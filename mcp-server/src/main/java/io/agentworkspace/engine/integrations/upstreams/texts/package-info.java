/** The texts and the metadata of upstream servers: what an approval reads of them, and what reaches clients. */
@NullMarked
package io.agentworkspace.engine.integrations.upstreams.texts;

import org.jspecify.annotations.NullMarked;
