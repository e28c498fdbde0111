"""python3 -m stridewise"""

import sys

from stridewise.cli import main

sys.exit(main())
