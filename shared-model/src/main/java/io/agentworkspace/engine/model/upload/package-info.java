/** Files on their way in and out of the REST API. */
@NullMarked
package io.agentworkspace.engine.model.upload;

import org.jspecify.annotations.NullMarked;
