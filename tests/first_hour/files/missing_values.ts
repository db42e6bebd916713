@problemName gaps
@univariate true
@classLabel true a b
@data
1,?,3:a
2,2,4:b
0,1,?:a
