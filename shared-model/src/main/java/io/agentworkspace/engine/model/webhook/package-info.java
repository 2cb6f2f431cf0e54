/** The records of webhook endpoints and deliveries. */
@NullMarked
package io.agentworkspace.engine.model.webhook;

import org.jspecify.annotations.NullMarked;
