/** Search indexes as one caller may see them: without the memories that are hidden from it, also in what scores are made of. */
@NullMarked
package io.agentworkspace.engine.memory.search.visible;

import org.jspecify.annotations.NullMarked;
