// All planted faults, by row.
import type { Fault } from "./fault.ts";
import { P1 } from "./faults/p01.ts";
import { P2 } from "./faults/p02.ts";
import { P3 } from "./faults/p03.ts";
import { P4 } from "./faults/p04.ts";
import { P5 } from "./faults/p05.ts";
import { P6 } from "./faults/p06.ts";
import { P7 } from "./faults/p07.ts";
import { P8 } from "./faults/p08.ts";
import { P9 } from "./faults/p09.ts";
import { P10 } from "./faults/p10.ts";
import { P11 } from "./faults/p11.ts";
import { P12 } from "./faults/p12.ts";
import { P13 } from "./faults/p13.ts";
import { P14 } from "./faults/p14.ts";
import { P15 } from "./faults/p15.ts";
import { P16 } from "./faults/p16.ts";
import { P17 } from "./faults/p17.ts";
import { P18 } from "./faults/p18.ts";
import { P19 } from "./faults/p19.ts";
import { P20 } from "./faults/p20.ts";
import { P21 } from "./faults/p21.ts";
import { P22 } from "./faults/p22.ts";
import { P23 } from "./faults/p23.ts";
import { P24 } from "./faults/p24.ts";
import { P25 } from "./faults/p25.ts";
import { P26 } from "./faults/p26.ts";
import { P27 } from "./faults/p27.ts";
import { P28 } from "./faults/p28.ts";
import { P29 } from "./faults/p29.ts";
import { P30 } from "./faults/p30.ts";
import { P31 } from "./faults/p31.ts";
import { P32 } from "./faults/p32.ts";
import { P33 } from "./faults/p33.ts";
import { P34 } from "./faults/p34.ts";
import { P35 } from "./faults/p35.ts";
import { P35_CHILDREN } from "./faults/p35-child-jobs.ts";

export const FAULTS: readonly Fault[] = [
  P1,
  P2,
  P3,
  P4,
  P5,
  P6,
  P7,
  P8,
  P9,
  P10,
  P11,
  P12,
  P13,
  P14,
  P15,
  P16,
  P17,
  P18,
  P19,
  P20,
  P21,
  P22,
  P23,
  P24,
  P25,
  P26,
  P27,
  P28,
  P29,
  P30,
  P31,
  P32,
  P33,
  P34,
  P35,
  P35_CHILDREN,
].flat();
